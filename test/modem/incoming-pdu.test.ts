import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveredSms } from '../../src/connectors/modem/pdu/deliver-pdu.ts'
import { readIncoming, tpduOf } from '../../src/connectors/modem/pdu/incoming-pdu.ts'
import { MalformedPdu } from '../../src/connectors/modem/pdu/pdu-reader.ts'
import type { StatusReport } from '../../src/connectors/modem/pdu/report-pdu.ts'
import { readPieces } from '../../src/sms/coded-text.ts'
import { type GoJudge, hasGoJudge, hasPythonJudges, type PythonJudges, startGoJudge, startPythonJudges } from '../peers/sms-judges.ts' // prettier-ignore
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { anyText, gsm7Text } from '../sms-samples.ts'

/** Reads a line as a modem gives it, with the service centre before the TPDU. */
function read(hex: string): DeliveredSms | StatusReport {
  const octets = hex.length / 2
  const tpdu = tpduOf(hex, octets - 1 - Number.parseInt(hex.slice(0, 2), 16))
  if (tpdu === null) throw new Error('no PDU')
  return readIncoming(tpdu)
}

function readSms(hex: string): DeliveredSms {
  const sms = read(hex)
  if (sms.kind !== 'deliver') throw new Error('no SMS')
  return sms
}
const textOf = ({ content }: DeliveredSms): string => readPieces([content])

test('27: an SMS from the text books', () => {
  // unit/test-sms.c of oFono, `simple_deliver`: its sender, time and text are asserted there.
  const sms = readSms('07911326040000F0040B911346610089F60000208062917314480CC8F71D14969741F977FD07')
  expect(sms).toMatchObject({
    from: { number: '+31641600986', kind: 'international' },
    networkTime: { atMs: Date.UTC(2002, 7, 26, 20, 37, 41), localMs: Date.UTC(2002, 7, 26, 19, 37, 41) },
    fragment: null,
    port: null,
  })
  expect(textOf(sms)).toBe('How are you?')
})

test('27: the length of a name counts its half octets', () => {
  // unit/test-sms.c of oFono, `alnum_sender`.
  const sms = readSms('0791447758100650040DD0F334FC1CA6970100008080312170224008D4F29CDE0EA7D9')
  expect(sms.from).toEqual({ number: 'sipgate', kind: 'other' })
  expect(textOf(sms)).toBe('Testmail')
})

test('27: a network that counts whole octets of a name writes no @ behind it', () => {
  const [counted, whole] = ['0D', '0E'].map((length) =>
    readSms(`00 04${length}D0F334FC1CA69701 0000 80803121702240 00`.replaceAll(' ', '')),
  )
  expect(whole?.from).toEqual(counted?.from)
})

test.for([
  ['2', 'national', 'A1', '1712345678'],
  ['3, of the network', 'other', 'B1', '1712345678'],
  ['4, of a subscriber', 'other', 'C1', '1712345678'],
  ['6, abbreviated', 'other', 'E1', '1712345678'],
  ['0', 'unknown', '81', '1712345678'],
  ['1', 'international', '91', '+1712345678'],
] as const)('27: a sender whose type of number is %s is %s', ([, kind, type, number]) => {
  expect(readSms(`0004 0A ${type} 7121436587 0000 80803121702240 00`.replaceAll(' ', '')).from).toEqual({ number, kind }) // prettier-ignore
})

test('24: a report names reference, recipient, time and status', () => {
  // Codeplex GSMComm has this report in its manual; its users assert number, both times and 0x00 (SmsStatusReportDecoderTests).
  expect(read('07911326040000F006D60B911326880736F4111011719551401110117195714000')).toEqual({
    kind: 'report',
    reference: 0xd6,
    recipient: { number: '+31628870634', kind: 'international' },
    acceptedAt: { atMs: Date.UTC(2011, 0, 11, 16, 59, 15), localMs: Date.UTC(2011, 0, 11, 17, 59, 15) },
    status: 0,
  })
})

test('24: what follows the status of a report is no part of it', () => {
  const report = '0006D60B911326880736F4111011719551401110117195714046'
  expect(read(`${report}FF000000`)).toEqual(read(report))
})

test.for([
  ['a month of 13', '26310117334400'],
  ['30 February', '26200317334400'],
  ['zeros', '00000000000000'],
  ['no digits', 'FFFFFFFFFFFFFF'],
] as const)('24: a time stamp with %s is none', ([, stamp]) => {
  expect(readSms(`00040A917121436587 0000 ${stamp} 00`.replaceAll(' ', '')).networkTime).toBeNull()
})

test('27: a compressed text and 8-bit data are shown in hexadecimal, and a port is named', () => {
  const sms = (coding: string, header: string, data: string): DeliveredSms => {
    const user = `${header}${data}`
    const length = (user.length / 2).toString(16).padStart(2, '0')
    return readSms(`00${header === '' ? '04' : '44'}0A917121436587 00 ${coding} 80803121702240 ${length} ${user}`.replaceAll(' ', '')) // prettier-ignore
  }
  expect(sms('04', '', '00ff17').content).toBe('00ff17')
  expect(sms('20', '', '00ff17').content).toBe('00ff17')
  expect(sms('F5', '0605040B8423F0', '01').port).toBe(2948)
  expect(sms('04', '050003070201', 'aabb')).toMatchObject({
    content: 'aabb',
    fragment: { reference: 7, total: 2, index: 1 },
  })
})

test('8: a line of another length is no PDU', () => {
  const line = '07911326040000F0040B911346610089F60000208062917314480CC8F71D14969741F977FD07'
  expect(tpduOf(line, 30)?.length).toBe(30)
  for (const other of ['^RSSI:19', '+CMTI: "SM",3', '', line.slice(1), line.slice(2), `${line}00`])
    expect(tpduOf(other, 30)).toBeNull()
})

test('18: octets of any kind are read or refused, and nothing else is thrown', () => {
  const anyTpdu = fc.uint8Array({ minLength: 1, maxLength: 180 })
  fc.assert(
    fc.property(anyTpdu, (octets) => {
      try {
        readIncoming(Buffer.from(octets))
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedPdu)
      }
    }),
    { numRuns: 5_000 },
  )
})

const zone = fc.constantFrom('Z', '+01:00', '-03:30', '+05:45', '-11:00', '+14:00')
const at = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2098-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19))
const stamp = fc.tuple(at, zone).map(([time, offset]) => `${time}${offset}`)
const anyNumber = fc.bigInt({ min: 1_000_000n, max: 999_999_999_999_999n }).map((digits) => `+${digits}`)
const anyName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .-]{0,9}[A-Za-z0-9]$/)
const shortCode = fc.integer({ min: 100, max: 99_999_999 }).map(String)

/** Generated SMS as the judge in Go sends them, with what was asked of it. */
const writeTexts = (go: GoJudge, count: number) =>
  Promise.all(
    fc
      .sample(fc.record({ text: fc.oneof(gsm7Text, anyText), from: fc.oneof(anyNumber, anyName, shortCode), at: stamp }), count)
      .map((each) => ({ ...each, text: each.text.toWellFormed() }))
      .filter(({ text }) => text !== '')
      .map(async (asked) => ({ asked, pdus: await go.write(asked) })),
  ) // prettier-ignore

const writeReports = (go: GoJudge, count: number) =>
  Promise.all(
    fc
      .sample(fc.record({ to: anyNumber, reference: fc.nat({ max: 255 }), status: fc.nat({ max: 255 }), at: stamp }), count)
      .map(async (asked) => ({ asked, pdu: (await go.write(asked))[0] ?? '' })),
  ) // prettier-ignore

describe.skipIf(!hasGoJudge())('27: as another codec writes it (warthog618/sms, in Go)', () => {
  let go: GoJudge
  beforeAll(() => {
    go = startGoJudge()
  })
  afterAll(() => go.stop())

  test(
    'each of many generated texts reads alike, joined from its parts',
    async () => {
      for (const { asked, pdus } of await writeTexts(go, sizeOf('MODEM_TEXTS'))) {
        const parts = pdus.map(readSms)
        expect(readPieces(parts.map(({ content }) => content))).toBe(asked.text)
        for (const [part, { from, networkTime, fragment }] of parts.entries()) {
          expect(from.number).toBe(asked.from)
          expect(networkTime?.atMs).toBe(Date.parse(asked.at))
          expect(fragment?.index ?? 1).toBe(part + 1)
        }
      }
    },
    endAfter(60_000),
  )

  test('24: and so does each report', async () => {
    for (const { asked, pdu } of await writeReports(go, 200))
      expect(read(pdu)).toMatchObject({
        reference: asked.reference,
        recipient: { number: asked.to },
        acceptedAt: { atMs: Date.parse(asked.at) },
        status: asked.status,
      })
  })
})

describe.skipIf(!hasPythonJudges() || !hasGoJudge())('27: as two codecs in Python read it', () => {
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

  test(
    'each SMS reads alike, but for the @ that they read behind a name of seven letters',
    async () => {
      for (const { pdus } of await writeTexts(go, Math.ceil(sizeOf('MODEM_TEXTS') / 16)))
        for (const pdu of pdus) {
          const sms = readSms(pdu)
          const { from } = sms
          // Both count the whole octets of a name, of which seven letters leave seven bits (23.040, 9.1.2.5).
          const number = from.kind === 'other' && from.number.length === 7 ? `${from.number}@` : from.number
          expect(await python.judge('python-messaging', pdu, 'mt')).toEqual({ number, text: textOf(sms) })
          const said = await python.judge('smspdudecoder', pdu, 'mt')
          expect(said.number).toBe(number)
          // Its faults at both ends of a text are in submit-pdu.test.ts.
          const [whole, rest] = [textOf(sms), textOf(sms).slice(1)]
          expect([whole, `${whole}@`, rest, `${rest}@`]).toContain(said.text)
        }
    },
    endAfter(60_000),
  )

  test('24: and so does each report', async () => {
    for (const { asked, pdu } of await writeReports(go, 50)) {
      const { to, reference, status } = asked
      for (const name of ['python-messaging', 'gsmmodem'] as const)
        expect(await python.judge(name, pdu, 'mt')).toMatchObject({ number: to, reference, status })
    }
  })
})
