/** What a person who answers may ask for with a word. */
export type Keyword = 'stop' | 'start' | 'help'

/**
 * Those for STOP are the ones of 47 CFR 64.1200(a)(10) and what the field adds to them: ARRET, REMOVE and TD are among those that AWS
 * requires (docs.aws.amazon.com/sms-voice/latest/userguide/keywords-required.html), OPTOUT and REVOKE among Twilio's.
 */
const known: Readonly<Record<Keyword, readonly string[]>> = {
  stop: [
    'STOP',
    'STOPALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'REMOVE',
    'TD',
    'ARRET',
  ],
  start: ['START', 'UNSTOP'],
  help: ['HELP', 'INFO'],
}

/** Of these an operator may say that they are no STOP, because his recipients answer questions with them: carriers know them for STOP only by custom. */
const offWords: readonly string[] = ['CANCEL', 'END', 'QUIT', 'REVOKE', 'REMOVE', 'TD']

/** Which words count as STOP, beside those that always do. */
export interface StopWords {
  /** What else counts. */
  more: readonly string[]
  /** Which of `offWords` do not. */
  off: readonly string[]
}

const usual: StopWords = { more: [], off: [] }

/** A longer text is no keyword, however it is written; most texts are told apart by this alone. */
const longestText = 80

/**
 * What a text asks for. It is a keyword as a whole: case, accents, punctuation, spaces and emoji do not matter. STOP, and what means nothing else,
 * counts too as the first word in front of a full stop, an exclamation mark, a comma or the end of its line, whatever follows (`Stop. Thank you`), and
 * in front of words of courtesy alone (`STOP please`). Within a sentence a word is none: `Stop by at 8`, `Stop and shop`. Null for every other text.
 */
export function readKeyword(text: string, stopWords: StopWords = usual): Keyword | null {
  const word = text.length > longestText ? '' : bareWord(text)
  if (word !== '') {
    if (isOwn(word, stopWords)) return 'stop'
    for (const [keyword, words] of Object.entries(known))
      if (words.includes(word) && !(keyword === 'stop' && stopWords.off.includes(word)))
        return keyword as Keyword
  }
  return beginsWithStop(text, stopWords) ? 'stop' : null
}

function beginsWithStop(text: string, stopWords: StopWords): boolean {
  const [, first = '', rest = ''] = firstWord.exec(text.slice(0, longestText)) ?? []
  const word = bareWord(first)
  const isStop =
    word !== '' && (isOwn(word, stopWords) || (known.stop.includes(word) && !offWords.includes(word)))
  return (
    isStop && (endOfSentence.test(rest) || (text.length <= longestText && courtesies.has(bareWord(rest))))
  )
}

const isOwn = (word: string, { more }: StopWords): boolean => more.some((each) => bareWord(each) === word)

/** A word and what stands behind it; nothing but signs in front of it. */
const firstWord = /^[^\p{L}\p{N}]*([\p{L}\p{M}]+)([^]*)$/u
/** A colon and a question mark begin something about the word. */
const endOfSentence = /^["'»”’)]*[^\S\r\n]*(?:[.!,;…。！，]|[\r\n]|[-–—]\s)/u

/** What people put behind a STOP out of courtesy, all of it. */
const courtesies: ReadonlySet<string> = new Set([
  'PLEASE', 'PLS', 'PLZ', 'THANKS', 'THANKYOU', 'THX', 'NOW', 'PLEASETHANKS', 'PLEASETHANKYOU', 'BITTE', 'DANKE', 'MERCI', 'SVP', 'SILVOUSPLAIT',
  'PORFAVOR', 'GRACIAS', 'PERFAVORE', 'GRAZIE', 'OBRIGADO', 'OBRIGADA', 'ALSTUBLIEFT', 'TACK',
]) // prettier-ignore

/** Letters and digits alone, in capitals and without accents. */
const bareWord = (text: string): string =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
