import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InboundSms, inboundParts } from '../peers/at-modem/inbound-sms.ts'
import { type GoJudge, hasGoJudge, hasPythonJudges, type PythonJudges, startGoJudge, startPythonJudges } from '../peers/sms-judges.ts' // prettier-ignore
import { readSubmit } from '../peers/sms-tpdu/submit-tpdu.ts'

const nowMs = Date.parse('2026-11-21T09:30:00Z')

/** The SMS-DELIVER PDUs of the emulator's network. */
const deliver = (sms: Partial<InboundSms>, offsetMinutes = 60): string[] =>
  inboundParts({ from: '+491701234567', ...sms }, nowMs, offsetMinutes).map(({ tpdu }) => `00${tpdu}`)

/** The same content as SMS-SUBMIT: another first octet, the recipient in place of the sender, a validity in place of the time. */
const submitOf = (pdu: string): string => {
  const firstOctet = 0x31 | (Number.parseInt(pdu.slice(2, 4), 16) & 0x40)
  return `00${firstOctet.toString(16)}000C91947110325476${pdu.slice(20, 24)}A7${pdu.slice(38)}`
}

const gsmText = fc.string({
  unit: fc.constantFrom(...'@£$¥èéùìòÇ\nØøÅå_ΔΩ€{}[]~^\\|aAzZ 09'),
  minLength: 1,
  maxLength: 500,
})
const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  .filter((text) => text.isWellFormed())

/** github.com/warthog618/sms 0.3.0, the judge. */
describe.skipIf(!hasGoJudge())('the codec in Go', () => {
  let judge: GoJudge
  beforeAll(() => {
    judge = startGoJudge()
  })
  afterAll(() => judge.stop())

  test('reads every text that the emulator writes, in parts and in any order', async () => {
    const sms = fc.record({
      text: fc.oneof(gsmText, anyText),
      reference: fc.integer({ min: 0, max: 65_535 }),
    })
    await fc.assert(
      fc.asyncProperty(sms, async ({ text, reference }) => {
        const pdus = deliver({ text, reference }).toReversed()
        const said = await judge.judge(pdus, 'mt')
        expect(said).toMatchObject({ text })
        expect(said.parts[0]).toMatchObject({ kind: 'deliver', number: '+491701234567', sentAt: '2026-11-21T10:30:00+01:00' }) // prettier-ignore
      }),
      { numRuns: 200 },
    )
  })

  test('reads every submit as the emulator does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(gsmText, anyText),
        fc.integer({ min: 0, max: 65_535 }),
        async (text, reference) => {
          const pdus = deliver({ text, reference }).map(submitOf)
          const said = await judge.judge(pdus, 'mo')
          expect(said.text).toBe(text)
          for (const [place, pdu] of pdus.entries()) {
            const part = said.parts[place]!
            const read = readSubmit(pdu, pdu.length / 2 - 1)
            expect([`+${read.to.number}`, read.units, read.elements, read.part?.total ?? 1]).toEqual([part.number, part.units, part.elements, part.total]) // prettier-ignore
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('joins a pair that was cut between two parts before it decodes', async () => {
    const text = `${'ж'.repeat(66)}😀 end`
    const pdus = deliver({ text })
    expect(pdus).toHaveLength(2)
    expect(await judge.judge(pdus, 'mt')).toMatchObject({ text })
    expect((await judge.judge(pdus.slice(0, 1), 'mt')).text).toBeNull()
  })

  test('reads zones on both sides of Greenwich', async () => {
    expect((await judge.judge(deliver({ text: 'x' }, -210), 'mt')).parts[0]).toMatchObject({ sentAt: '2026-11-21T06:00:00-03:30' }) // prettier-ignore
  })
})

/** Where their words differ from 3GPP TS 23.038 and 23.040; a codec that agrees with all of these has their mistakes. */
describe.skipIf(!hasPythonJudges() || !hasGoJudge())('codecs of others', () => {
  let go: GoJudge
  let python: PythonJudges
  beforeAll(() => {
    go = startGoJudge()
    python = startPythonJudges()
  })
  afterAll(async () => {
    await go.stop()
    await python.stop()
  })

  async function readings(sms: Partial<InboundSms>) {
    const [pdu] = deliver(sms) as [string]
    const said = await go.judge([pdu], 'mt')
    const others = await Promise.all(
      (['smspdudecoder', 'python-messaging', 'gsmmodem'] as const).map((name) =>
        python.judge(name, pdu, 'mt'),
      ),
    )
    const fits = [said.parts[0]!, ...others].map(({ number }) => number)
    return { numbers: fits, texts: [said.text, ...others.map(({ text }) => text)] }
  }

  test('two read seven letters of a sender as eight: their length is in half-octets (23.040, 9.1.2.5)', async () => {
    const { numbers } = await readings({ from: 'Telekom', text: 'x' })
    expect(numbers).toEqual(['Telekom', 'Telekom@', 'Telekom@', 'Telekom'])
  })

  test('Go takes no escape in a sender, which the default alphabet has (23.038, 6.2.1.1)', async () => {
    const { numbers } = await readings({ from: 'A{}', text: 'x' })
    expect(numbers).toEqual(['', 'A{}', 'A{}', 'A{}'])
  })

  test('three read * and # as letters (23.040, 9.1.2.3)', async () => {
    const { numbers } = await readings({ from: '*100#', text: 'x' })
    expect(numbers).toEqual(['*100#', 'A100B', 'a100b', 'a100b'])
  })

  test.for<[string, Partial<InboundSms>, unknown[]]>([
    ['GSM text in a reserved group is the default alphabet (23.038, 4): Go refuses it', { text: 'hi', dcs: 0x80 }, [null, 'hi', 'hi', 'hi']],
    ['GSM text with the reserved alphabet is the default one', { text: 'hi', dcs: 0x0c }, ['hi', 'hi', 'e834', 'è4']],
    ['group 1100 has the default alphabet: two read UCS-2 by its other bits', { text: 'hi', dcs: 0xc8 }, ['hi', '\ue834', '\ue834', 'hi']],
    ['a waiting message in UCS-2', { text: 'hé', encoding: 'ucs2', dcs: 0xe8 }, ['hé', 'hé', 'hé', '@P£H']],
    ['an @ as the last of eight septets is one: gsmmodem drops it', { text: 'abcdefg@' }, ['abcdefg@', 'abcdefg@', 'abcdefg@', 'abcdefg']],
    ['a header of seven octets has no bit to spare: gsmmodem drops a letter', { text: 'hello', elements: '05040b8423f0' }, ['hello', 'hello', 'hello', 'ello']],
  ])('%s', async ([, sms, texts]) => {
    expect((await readings(sms)).texts).toEqual(texts)
  }) // prettier-ignore

  test('reports are read by python-messaging and gsmmodem', async () => {
    const report = '0006050C91947110325476621112010390406211120103904046'
    expect(await python.judge('python-messaging', report, 'mt')).toMatchObject({ number: '+491701234567', reference: 5, status: 70 }) // prettier-ignore
    expect(await python.judge('gsmmodem', report, 'mt')).toMatchObject({ number: '+491701234567', reference: 5, status: 70 }) // prettier-ignore
    expect((await go.judge([report], 'mt')).parts[0]).toMatchObject({ kind: 'status-report', number: '+491701234567', reference: 5, status: 70 }) // prettier-ignore
  })
})
