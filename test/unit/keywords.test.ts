import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { bareWord, matchKeyword, type StopWords } from '../../src/messages/opt-outs/keywords.ts'

const readKeyword = (text: string, stopWords?: StopWords) => matchKeyword(text, stopWords)?.keyword ?? null

const words = {
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
} as const

test.for(Object.entries(words))(
  'every word for %s is known in capitals and in small letters',
  ([keyword, each]) => {
    for (const word of each)
      for (const text of [word, word.toLowerCase()])
        expect([text, readKeyword(text)]).toEqual([text, keyword])
  },
)

test.for([
  'Stop. Thank you',
  'STOP, I do not want this',
  'Stop! Who are you?',
  '"Stop". Thanks',
  'stop…',
  'STOP\nSent from my phone',
  'STOP \r\n-- Ada',
  '🛑 Stop - wrong number',
  'Unsubscribe. Please',
  'ARRÊT. Merci',
  `Stop. ${'x'.repeat(500)}`,
  'STOP please',
  'stop pls',
  'Stop, thank you',
  'Stop bitte',
  'arrêt s’il vous plaît',
])('%j is STOP: what stands behind the word is another sentence, a signature or courtesy', (text) =>
  expect(readKeyword(text)).toBe('stop'),
)

test.for([
  'Stop by at 8',
  'Stop and shop',
  'Stop and shop?',
  'Stop? Which stop',
  'Stop: Main Street',
  'stop-and-go',
  'Please stop by at 8. Stop.',
  'Cancel. I cannot come on Monday',
  'End. Of story',
  'Quit please',
  'TD, see you at 8',
  'Help. My order is late',
  'start, then wait',
  `Stop ${' '.repeat(80)}please`,
])('%j is no keyword: the word is part of a sentence, or means something else in front of one', (text) =>
  expect(readKeyword(text)).toBeNull(),
)

test.for([
  'Stop.',
  '  stop\n',
  '"STOP"',
  'Stop all!',
  'opt-out',
  'Arrêt',
  'ＳＴＯＰ',
  'stop 🛑',
  'S.T.O.P',
  'STOP'.padEnd(80),
])('%j is STOP too', (text) => expect(readKeyword(text)).toBe('stop'))

test.for([
  '',
  '  ',
  '!',
  'Please stop',
  'stop it',
  'STOP2',
  'nonstop',
  'Stopp',
  'the end',
  'info please',
  '🛑',
  'STOP'.padEnd(81),
])('%j is no keyword', (text) => expect(readKeyword(text)).toBeNull())

test('words of the operator count as STOP, also those that mean something else otherwise', () => {
  const own = { more: ['Stopp', 'СТОП', 'info'], off: [] }
  for (const text of ['STOPP!', 'стоп', 'Info', 'stop', 'Стоп. Спасибо', 'Stopp bitte'])
    expect(readKeyword(text, own)).toBe('stop')
  expect(readKeyword('Start', own)).toBe('start')
})

test('words that mean something else to recipients are taken off, and STOP never is', () => {
  const off = { more: [], off: ['CANCEL', 'END', 'QUIT', 'TD', 'STOP'] }
  for (const text of ['Cancel', 'END.', 'quit', 'td']) expect(readKeyword(text, off)).toBeNull()
  for (const text of ['Revoke', 'unsubscribe', 'Stop. Thanks']) expect(readKeyword(text, off)).toBe('stop')
})

test('an emoji among the stop words is refused by the settings, and makes no text a STOP', () => {
  expect(() => readConfig({ ONESIXTY_STOP_WORDS: 'Stopp,🛑' })).toThrow("'🛑' has none")
  expect(readConfig({ ONESIXTY_STOP_WORDS: 'Stopp, СТОП', ONESIXTY_STOP_WORDS_OFF: 'end,Quit' })).toMatchObject({
    stopWords: ['Stopp', 'СТОП'],
    stopWordsOff: ['END', 'QUIT'],
  })
  expect(() => readConfig({ ONESIXTY_STOP_WORDS_OFF: 'STOP' })).toThrow('needs some of CANCEL')
  const emoji = { more: ['🛑', '!'], off: [] }
  for (const text of ['🛑', '👍', '!', '', '🛑. Thanks']) expect(readKeyword(text, emoji)).toBeNull()
}) // prettier-ignore

test('what stands around a word changes nothing unless it holds a letter or a digit, and then it is no keyword but in front of another sentence', () => {
  const around = fc.string({ unit: 'grapheme', maxLength: 3 })
  fc.assert(
    fc.property(around, around, (before, behind) => {
      const holdsMore = /[\p{L}\p{N}]/u.test((before + behind).normalize('NFKD'))
      const isSentence =
        !/[\p{L}\p{N}]/u.test(before.normalize('NFKD')) &&
        /^[^\p{L}\p{N}]*(?:[.!,;…。！，\r\n]|[-–—]\s)/u.test(behind)
      if (isSentence && holdsMore) return
      expect(readKeyword(`${before}STOP${behind}`) === 'stop').toBe(!holdsMore)
    }),
    {
      examples: [
        [' "', '"!'],
        ['⒜', '.'],
      ],
    },
  )
})

test.for([
  ['हाँ', 'हो'],
  ['हो', 'है'],
  ['बंद', 'बाद'],
  ['বন্ধ', 'বনধ'],
  ['நிறுத்து', 'நறதத'],
  ['หยุด', 'หยด'],
  ['ばい', 'はい'],
  ['ガ', 'カ'],
] as const)('%j is another word than %j: its marks are part of it', ([word, other]) => {
  expect(bareWord(word)).not.toBe(bareWord(other))
  const own = { more: [word], off: [] }
  for (const text of [word, `${word}!`, `${word}. Thank you`]) expect(readKeyword(text, own)).toBe('stop')
  expect(readKeyword(other, own)).toBeNull()
})

test.for([
  ['توقَّف', 'توقف'],
  ['arrêt', 'ARRET'],
  ['Đừng lại', 'ĐUNGLAI'],
  ['Διακοπή', 'ΔΙΑΚΟΠΗ'],
  ['Стой', 'СТОИ'],
  ['ﾊﾞｲ', 'バイ'],
  ['は\u3099い', 'ばい'],
  ['중지', '중지'],
  ['중지'.normalize('NFD'), '중지'],
  ['停止', '停止'],
  ['क्\u200dष', 'क्ष'],
  ['STOP\ufe0f', 'STOP'],
  ['1\ufe0f\u20e3 ❤\ufe0f', '1'],
] as const)('%j is compared as %j, however its marks are encoded', ([word, bare]) =>
  expect(bareWord(word)).toBe(bare),
)

test.for([
  ['No more', 'No more. Thanks for all'],
  ['No more', 'no more, please call'],
  ['No more', 'NO MORE please'],
  ['No more', 'No more thank you'],
  ['No more', 'no more\nAda'],
  ['No more', '"No more!" That is it'],
  ['No more please', 'No more please thanks'],
  ['Stop svp', 'Stop svp merci'],
  ['Stop24', 'Stop24. Merci'],
  ['Stop24', 'stop 24 svp'],
  ['2', '2. Thanks'],
  ['2', '2 please'],
  ['Désabonne-moi', 'Désabonne-moi, merci beaucoup'],
  ['Désabonne-moi', 'désabonne moi s’il vous plaît'],
  ['Ne m’écris plus', 'Ne m’écris plus - Ada'],
  ['हटाओ', 'हटाओ. धन्यवाद'],
  ['No, thanks', 'No, thanks. Not for me'],
  ['No more', 'No more please. I have enough'],
] as const)('where %j is a word for STOP, %j is a STOP', ([word, text]) => {
  expect(readKeyword(text, { more: [word], off: [] })).toBe('stop')
  expect(readKeyword(text)).toBeNull()
})

test.for([
  'No more than two, please',
  'no more than two',
  'No more? Which one',
  'No more: Main Street',
  'Stop24 hours early. Thanks',
  'Stop by at 8',
  'Stop by at 8. Thanks',
  'Stop by at 8, please',
  'Stop by now',
  '2.5 kg please',
  '2,5 kg please',
  '2 of them. Thanks',
  'We want no more. Thanks',
  'End. Of story',
  'E-n-d. Of story',
  'T.D. is who I am',
  'Cancel please',
  'No more?! Of what',
  'Two, 2. Thanks',
])('with words of several parts %j is no STOP: it is another sentence', (text) =>
  expect(readKeyword(text, { more: ['No more', 'Stop24', '2'], off: [] })).toBeNull(),
)

test.for([
  'Stop all. Thank you',
  'S.T.O.P. Thanks',
  '!!!!!!!!!!! Stop. Bye',
  'Stop 🛑. Bye',
  'STOP please. Bye',
  'opt-out, please',
  'Opt out thanks',
  'STOP ALL now',
])('%j is STOP: a built-in word is no less one for how it is parted', (text) =>
  expect(readKeyword(text)).toBe('stop'),
)

test.for([
  'STOP PLEASE\u203c\ufe0f\u203c\ufe0f\u203c\ufe0f\u203c\ufe0f\u203c\ufe0f',
  'STOP please \u26a0\ufe0f \u26a0\ufe0f \u26a0\ufe0f \u26a0\ufe0f \u26a0\ufe0f',
  "STOP s'il vous plaît \u263a\ufe0f\u263a\ufe0f",
  '* * * * * STOP please',
  '🛑 🛑 🛑 🛑 🛑 STOP please',
])('%j is a STOP with courtesy, whatever signs are around it', (text) => {
  expect(readKeyword(text)).toBe('stop')
})

test('marks that Arabic and Hebrew leave out do not matter, and their sentences end by signs of their own', () => {
  const stopWords = { more: ['إلغاء', 'أوقف', 'הַסֵר', '停止'], off: [] }
  for (const text of ['الغاء', 'إِلغاء', 'اوقف، شكرا', 'הסר', '停止、お願いします'])
    expect(readKeyword(text, stopWords), text).toBe('stop')
})
