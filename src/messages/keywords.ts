/** What a person who answers may ask for with one word. Those for STOP are the ones of 47 CFR 64.1200(a)(10), and what the field adds to them. */
export type Keyword = 'stop' | 'start' | 'help'

const known: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'ARRET'],
  start: ['START', 'UNSTOP'],
  help: ['HELP', 'INFO'],
}

/** A longer text is no keyword, however it is written; most texts are told apart by this alone. */
const longestText = 80

/**
 * The keyword that a text is, as a whole: case, accents, punctuation, spaces and emoji do not matter. `stopWords` are what else counts as STOP.
 * Null for every other text.
 */
export function readKeyword(text: string, stopWords: readonly string[] = []): Keyword | null {
  if (text.length > longestText) return null
  const word = bareWord(text)
  if (word === '') return null
  if (stopWords.some((each) => bareWord(each) === word)) return 'stop'
  for (const [keyword, words] of Object.entries(known)) if (words.includes(word)) return keyword as Keyword
  return null
}

/** Letters and digits alone, in capitals and without accents. */
const bareWord = (text: string): string =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
