import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import { measureText } from '../../src/sms/sms-text.ts'
import { scalarValue } from '../scalar-value.ts'
import { submissionOf, type Open } from './contract-subject.ts'

/** What is handed over as text is what the network receives, unit by unit. */
export function carriesTextsWhole(open: Open): void {
  /** The simplest text found that did not arrive as it was handed over; null when all did. */
  const findSpoilt = async (texts: fc.Arbitrary<string>, examples: readonly string[] = []) => {
    const { subject, submit } = await open()
    const property = fc.asyncProperty(texts, async (text) => {
      const submission = messageWith(text)
      await submit(submission)
      const last = (await subject.peerLog()).at(-1)
      return last?.to === submission.to && last.text === text
    })
    const { counterexample } = await fc.check(property, {
      numRuns: 75,
      examples: examples.map((text) => [text]),
    })
    return counterexample
  }

  test('carries every character of the GSM-7 alphabet and of its extension', async () => {
    const texts = fc.string({ unit: fc.constantFrom(...gsm7), minLength: 1, maxLength: 80 })
    expect(await findSpoilt(texts, [gsm7.join('')])).toBeNull()
  })

  test('carries every script, accents that combine, and emoji', async () => {
    expect(await findSpoilt(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }))).toBeNull()
  })

  test('carries any text without NUL and without lone surrogates, and what makes protocols stumble', async () => {
    const texts = fc.string({ unit: scalarValue, minLength: 1, maxLength: 60 })
    const withoutNul = texts.filter((text) => !text.includes('\0'))
    expect(await findSpoilt(withoutNul, stumblingBlocks)).toBeNull()
  })
}

const gsm7 = [
  ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿',
  ...'abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€',
]

const stumblingBlocks = [
  ' blank at both ends ',
  '@',
  '@@@@@@@ seven characters and a CR\r',
  '"quotes" \\ and \\n, %s ${x} {{y}} <b>&amp;</b>',
  'line\nfeed, \r\n and carriage return',
  '€'.repeat(160),
  '\u{1F600}'.repeat(100),
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} family, \u{1F1E9}\u{1F1EA} flag',
  '\u2028 \u2029 \u200B \u202E \uFEFF \uFFFD',
  'e\u0301 and \u00E9 stay apart',
  'x'.repeat(161),
]

const messageWith = (text: string): Submission => {
  const { encoding, parts } = measureText(text, 'auto')
  return submissionOf({ text, encoding, parts })
}
