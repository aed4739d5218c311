import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readKeyword } from '../../src/messages/keywords.ts'

const words = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'ARRET'],
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

test.for(['Stop.', '  stop\n', '"STOP"', 'Stop all!', 'opt-out', 'Arrêt', 'ＳＴＯＰ', 'stop 🛑', 'S.T.O.P'])(
  '%j is STOP too',
  (text) => expect(readKeyword(text)).toBe('stop'),
)

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
  const own = ['Stopp', 'СТОП', 'info']
  for (const text of ['STOPP!', 'стоп', 'Info', 'stop']) expect(readKeyword(text, own)).toBe('stop')
  expect(readKeyword('Start', own)).toBe('start')
})

test('what stands around a word changes nothing unless it holds a letter or a digit, and then it is no keyword', () => {
  const around = fc.string({ unit: 'grapheme', maxLength: 3 })
  fc.assert(
    fc.property(around, around, (before, behind) => {
      const holdsMore = /[\p{L}\p{N}]/u.test((before + behind).normalize('NFKD'))
      expect(readKeyword(`${before}STOP${behind}`) === 'stop').toBe(!holdsMore)
    }),
    { examples: [[' "', '"!']] },
  )
})
