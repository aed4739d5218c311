import fc from 'fast-check'
import { expect, test } from 'vitest'
import { offWords, offWordsList } from '../../src/settings/off-words.ts'
import { parseKeywords } from '../../src/messages/opt-outs/account-keywords.ts'
import {
  canonicalLanguage,
  type KeywordSet,
  keywordSetFaults,
  maxSets,
  maxWordsOfKind,
} from '../../src/messages/opt-outs/check-keyword-set.ts'
import {
  bareWord,
  maxKeywordLetters,
  matchKeyword,
  type OwnWord,
  type OwnWords,
  possibleKeywords,
} from '../../src/messages/opt-outs/keywords.ts'

const instance = { more: ['Stopp'], off: [] }
const own = (words: Readonly<Record<string, OwnWord>>): OwnWords => new Map(Object.entries(words))
const set = (more: Partial<KeywordSet> = {}): KeywordSet => ({
  language: 'und', stop: [], start: [], help: [], off: [], stopAnswer: null, helpAnswer: null, ...more,
}) // prettier-ignore
const faultsOf = (more: Partial<KeywordSet>, others: KeywordSet[] = []) =>
  keywordSetFaults(set(more), { others, stopWords: instance.more }).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  )

test.for([
  ['STOP', 'stop', 'und'],
  ['arrêt', 'stop', 'fr'],
  ['Unsubscribe. Bye', 'stop', 'en'],
  ['START', 'start', 'und'],
  ['help', 'help', 'en'],
  ['info', 'help', 'und'],
  ['Stopp', 'stop', 'und'],
] as const)('%j is %s in the language %s', ([text, keyword, language]) =>
  expect(matchKeyword(text, instance)).toEqual({ keyword, language }),
)

test.for([
  ['Désabonner', { keyword: 'stop', language: 'fr' }],
  ['Désabonner. Je ne veux plus', { keyword: 'stop', language: 'fr' }],
  ['désabonner svp', { keyword: 'stop', language: 'fr' }],
  ['Désabonner ma mère', null],
  ['oui!', { keyword: 'start', language: 'fr' }],
  ['Oui, à demain', null],
  ['aide', { keyword: 'help', language: 'fr' }],
  ['stop', { keyword: 'stop', language: 'sv' }],
  ['end', null],
  ['end. Of story', null],
  ['cancel', { keyword: 'stop', language: 'sv' }],
  ['Cancel. I cannot come', null],
  ['quit', { keyword: 'stop', language: 'en' }],
] as const)('to an account with keywords of its own %j is %j', ([text, match]) => {
  const words = own({
    DESABONNER: { keyword: 'stop', language: 'fr' },
    OUI: { keyword: 'start', language: 'fr' },
    AIDE: { keyword: 'help', language: 'fr' },
    STOP: { keyword: 'stop', language: 'sv' },
    CANCEL: { keyword: 'stop', language: 'sv' },
    END: { keyword: 'off', language: 'und' },
  })
  expect(matchKeyword(text, instance, words)).toEqual(match)
})

test('a word that the operator lists too keeps its language, and is a STOP even where an account has turned it off', () => {
  const listed = { more: ['Arrêt', 'END', 'CANCEL', 'Sluta'], off: ['END'] }
  const words = own({
    END: { keyword: 'off', language: 'und' },
    CANCEL: { keyword: 'stop', language: 'sv' },
    SLUTA: { keyword: 'stop', language: 'sv' },
  })
  const languages = (texts: string[], mine?: OwnWords) =>
    texts.map((text) => matchKeyword(text, listed, mine)).map((match) => match?.language ?? null)
  expect(languages(['arret', 'Arrêt. Merci', 'end', 'cancel', 'sluta'])).toEqual(['fr', 'fr', 'en', 'en', 'und'])
  expect(languages(['arret', 'end', 'cancel', 'Cancel. Tack', 'sluta'], words)).toEqual(['fr', 'en', 'sv', 'sv', 'sv'])
  const faults = keywordSetFaults(set({ off: ['end', 'TD'] }), { others: [], stopWords: listed.more })
  expect(faults).toEqual([
    { pointer: '/off', code: 'invalid_format', detail: "'end' counts as STOP on this instance (ONESIXTY_STOP_WORDS)." },
  ])
}) // prettier-ignore

test('each account reads a text by its own words, and one without any by what is built in', () => {
  // What the look-up finds of a text.
  const off = own({ END: { keyword: 'off', language: 'und' } })
  const end = parseKeywords('end', instance, new Map([['acc_off', off], ['acc_start', off]]))
  expect(end.of('acc_off')).toBeNull()
  for (const other of ['acc_other', null]) expect(end.of(other)?.keyword).toBe('stop')
  expect([end.isAny('stop'), end.isAny('start')]).toEqual([true, false])
  const start = own({ FIN: { keyword: 'start', language: 'fr' } })
  const fin = parseKeywords('fin', instance, new Map([['acc_start', start]]))
  expect([fin.of('acc_start')?.keyword, fin.of('acc_off'), fin.isAny('start')]).toEqual(['start', null, true])
}) // prettier-ignore

test.for([
  ['Yes', ['YES']],
  ['  stop! ', ['STOP']],
  ['Hello, it is me', ['HELLOITISME', 'HELLO']],
  ['stop please', ['STOPPLEASE', 'STOP']],
  ['No more. I do not want this', ['NOMOREIDONOTWANTTHIS', 'NOMORE']],
  ['One two three four five, then six and seven more', ['ONETWOTHREEFOURFIVE']],
  ['One two three four five six, then seven and eight', []],
  ['I will come at eight o’clock, and bring my sister', []],
  ['x'.repeat(maxKeywordLetters), ['X'.repeat(maxKeywordLetters)]],
  ['x'.repeat(maxKeywordLetters + 1), []],
  ['👍', []],
] as const)('%j is looked up as %j', ([text, words]) => expect(possibleKeywords(text)).toEqual(words))

test.for([
  [{ language: 'french' }, ['/language invalid_format']],
  [{ language: 'fr-CA' }, ['/language invalid_format']],
  [{ language: 'f r' }, ['/language invalid_format']],
  [{ language: '' }, ['/language invalid_format']],
  [{ language: 'xx' }, ['/language not_in_enum']],
  [{ language: 'qqq' }, ['/language not_in_enum']],
  [{ language: 'fil' }, []],
  [{ stop: ['👍'] }, ['/stop blank']],
  [{ help: ['a\u0000b'] }, ['/help control_character']],
  [{ help: ['\ud83d'] }, ['/help invalid_unicode']],
  [{ start: ['x'.repeat(maxKeywordLetters + 1)] }, ['/start too_long']],
  // One character that is written with fifteen letters.
  [{ start: ['ﷺﷺﷺ', 'stop'] }, ['/start too_long', '/start invalid_format']],
  [{ stop: Array.from({ length: maxWordsOfKind + 1 }, (_, i) => `w${i}`) }, ['/stop too_many_items']],
  [{ stop: ['a b c d e f'] }, ['/stop invalid_format']],
  [{ stop: ['a b c d e'], start: ['a b c d e f'] }, []],
  [{ stop: ['Fin'], help: ['fin!'] }, ['/stop invalid_format', '/help invalid_format']],
  [{ start: ['S.T.O.P'] }, ['/start invalid_format']],
  [{ help: ['Stop. Now'] }, ['/help invalid_format']],
  [{ start: ['stop please'] }, ['/start invalid_format']],
  [{ help: ['cancel'] }, ['/help invalid_format']],
  [{ help: ['Stopp!'] }, ['/help invalid_format']],
  [{ stop: ['Fin'], start: ['fin merci'] }, ['/start invalid_format']],
  [{ stop: ['Info'] }, ['/stop invalid_format']],
  [{ help: ['Unstop'] }, ['/help invalid_format']],
  [{ off: ['STOP'] }, ['/off invalid_format']],
  [{ off: ['ARRET', 'END'] }, ['/off invalid_format']],
  [{ language: 'en', off: ['END'] }, ['/off invalid_format']],
  [{ off: ['END'], stop: ['End'] }, ['/stop invalid_format', '/off invalid_format']],
  [{ stopAnswer: 'x'.repeat(460) }, ['/stopAnswer message_too_long']],
  [{ helpAnswer: '\u0007' }, ['/helpAnswer control_character']],
  [{ helpAnswer: '  ' }, ['/helpAnswer blank']],
  [{ language: 'sv', stop: ['Stopp', 'CANCEL', 'stop'], start: ['Ja', 'start'], help: ['Hjälp'], stopAnswer: 'x'.repeat(459), helpAnswer: '' }, []],
  [{ off: ['END', 'TD'] }, []],
] as [Partial<KeywordSet>, string[]][])('of the set %j the faults are %j', ([more, faults]) =>
  expect(faultsOf(more)).toEqual(faults),
) // prettier-ignore

test.for([
  ['FR', 'fr'],
  [' fra ', 'fr'],
  ['iw', 'he'],
  ['UND', 'und'],
  ['fr-ca', 'fr-CA'],
  ['No language', 'no language'],
  ['', ''],
] as const)('the language %j is stored and looked up as %j', ([written, stored]) =>
  expect(canonicalLanguage(written)).toBe(stored),
)

test('no word is in two sets of an account, and an account has a bounded number of sets', () => {
  const others = [set({ language: 'sv', stop: ['Sluta'], help: ['Hjälp'] })]
  expect(faultsOf({ language: 'da', stop: ['sluta'], start: ['hjalp', 'Sluta tack'] }, others)).toEqual([
    '/stop invalid_format', '/start invalid_format', '/start invalid_format',
  ]) // prettier-ignore
  const polite = [set({ language: 'sv', start: ['Ja tack', 'End, tack'], help: ['Vem. Är du'] })]
  expect(faultsOf({ language: 'da', stop: ['ja', 'Vem', 'Tack', 'end'] }, polite)).toEqual([
    '/stop invalid_format', '/stop invalid_format',
  ]) // prettier-ignore
  const many = (length: number) => Array.from({ length }, () => set())
  expect(faultsOf({ language: 'da' }, many(maxSets - 1))).toEqual([])
  expect(faultsOf({ language: 'da' }, many(maxSets))).toEqual(['/language too_many_items'])
})

const alwaysStop = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'OPTOUT', 'ARRET', 'Stopp']
/** What people write around a STOP so that it still is one. */
const stopText = fc
  .tuple(
    fc.constantFrom('', ' ', '"', '🛑 '),
    fc.constantFrom(...alwaysStop),
    fc.constantFrom('', '.', '!', ' please', ' merci', '. Thank you', ', I do not want this', '\nAda'),
  )
  .map((pieces) => pieces.join(''))
const word = fc.oneof(
  stopText,
  fc.constantFrom('END', 'CANCEL', 'TD', 'START', 'HELP', 'INFO', 'Ja', 'Nej'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)

test('no words that an account could ever have make a STOP anything else', () => {
  const meaning = fc.record({
    keyword: fc.constantFrom('stop', 'start', 'help', 'off'),
    language: fc.constantFrom('und', 'fr'),
  })
  const rows = fc.array(fc.tuple(word.map(bareWord), meaning), { maxLength: 12 })
  fc.assert(
    fc.property(stopText, rows, (text, entries) => {
      expect(matchKeyword(text, instance, new Map(entries))?.keyword).toBe('stop')
      // Whatever it is about, a whole text that is a row for STOP is one, and nothing is lost by the row of another word.
      for (const [bare, { keyword }] of new Map(entries))
        if (keyword === 'stop' && bare !== '' && bare.length <= maxKeywordLetters)
          expect(matchKeyword(bare, instance, new Map(entries))?.keyword).toBe('stop')
    }),
    { numRuns: 500 },
  )
})

const token = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom(...'abemnoruéßдиож'), minLength: 2, maxLength: 6 }) },
  { weight: 3, arbitrary: fc.constantFrom('fin', 'plus', '24', '2', 'हटाओ', 'หยุด', 'ばい') },
  { weight: 1, arbitrary: fc.constantFrom('stop', 'merci', 'end') },
) // prettier-ignore
const separator = fc.constantFrom(' ', '-', ', ', '’', '.', '. ')
const entry = fc.record({
  written: fc
    .tuple(token, fc.array(fc.tuple(separator, token), { maxLength: 2 }))
    .map(([first, more]) => [first, ...more.flat()].join('')),
  language: fc.constantFrom('und', 'fr', 'sv'),
  field: fc.constantFrom('stop', 'start', 'help'),
})
/** Three sets of one account, in the order in which they are set. */
const threeSets = fc
  .tuple(
    fc.uniqueArray(entry, {
      selector: ({ written }) => bareWord(written),
      minLength: 3,
      maxLength: 12,
    }),
    fc.subarray([...offWords]),
    fc.shuffledSubarray(['und', 'fr', 'sv'], { minLength: 2 }),
  )
  .map(([entries, off, languages]) =>
    languages.map((language) => {
      const of = (field: string) =>
        entries.filter((each) => each.language === language && each.field === field).map((each) => each.written)
      return set({ language, stop: of('stop'), start: of('start'), help: of('help'), off: language === 'und' ? off : [] })
    }),
  ) // prettier-ignore

test('of sets without a fault every STOP word is a STOP, in each way that a built-in one counts, and START and HELP words are none', () => {
  let valid = 0
  const runs = 1_000
  fc.assert(
    fc.property(threeSets, (sets) => {
      const faults = sets.flatMap((each, index) =>
        keywordSetFaults(each, { others: sets.slice(0, index), stopWords: instance.more }),
      )
      if (faults.length > 0) return
      valid++
      const entries = sets.flatMap((each) =>
        (['stop', 'start', 'help', 'off'] as const).flatMap((keyword) =>
          each[keyword].map((written) => ({ written, keyword, language: each.language })),
        ),
      )
      const mine = own(Object.fromEntries(entries.map(({ written, ...meaning }) => [bareWord(written), meaning])))
      const meaning = (text: string) => matchKeyword(text, instance, mine)
      for (const { written, keyword, language } of entries) {
        expect(meaning(written)).toEqual(keyword === 'off' ? null : { keyword, language })
        for (const behind of ['. Thank you', ' please', '\nAda', '! 🛑'])
          if (keyword === 'stop' && !offWords.includes(bareWord(written))) expect(meaning(written + behind)?.keyword).toBe('stop')
          else if (keyword === 'off' && behind !== '! 🛑') expect(meaning(written + behind)).toBeNull()
      }
    }),
    { numRuns: runs },
  )
  // A check that refuses nearly all that is generated would leave nothing to see.
  expect(valid).toBeGreaterThan(runs / 2)
}) // prettier-ignore

test('of an account whose words mean several things each counts', () => {
  const words = own({ ENDE: { keyword: 'stop', language: 'de' }, 'ENDE GUT': { keyword: 'start', language: 'de' } })
  const { isAny } = parseKeywords('Ende gut', instance, new Map([['acc_a', words]]))
  expect((['stop', 'start', 'help'] as const).map(isAny)).toEqual([true, true, false])
}) // prettier-ignore

test('the words that can be switched off are listed in a sentence', () => {
  expect(offWordsList('and')).toBe('CANCEL, END, QUIT, REVOKE, REMOVE and TD')
})
