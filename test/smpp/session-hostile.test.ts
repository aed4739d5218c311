import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandStatus, type Pdu } from '../../src/smpp/codec/pdu.ts'
import { bindSession, delivery, message, roundTrip } from './session-fixture.ts'
import { anyPdu, bytesOf, mutatedPdu, octets } from './pdu-arbitraries.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'

const garbagePdus = sizeOf('GARBAGE_PDUS')

/** A frame of a true length around anything. */
function frame(commandId: number, sequence: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  return bytesOf({ command: 'unknown', commandId, status: 0, sequence, body })
}

test('a message that makes no sense is refused for good, and the next one is stored', async () => {
  const { smsc, stored, odd } = await bindSession()
  smsc.sendBytes(Buffer.concat([frame(5, 70, Buffer.from('no end of a string')), bytesOf(delivery(71))]))
  await smsc.seen('deliver_sm_resp', 2)
  expect(smsc.received.slice(1)).toMatchObject([
    { command: 'deliver_sm_resp', sequence: 70, status: commandStatus.ESME_RX_P_APPN },
    { command: 'deliver_sm_resp', sequence: 71, status: 0 },
  ])
  expect([stored.length, odd]).toMatchObject([1, [{ command: 'malformed', claimed: 'deliver_sm' }]])
})

test('a message behind which a TLV is cut is stored, and the rest of it noted', async () => {
  const { smsc, stored, odd } = await bindSession()
  const whole = bytesOf(delivery(70)).subarray(16)
  smsc.sendBytes(frame(5, 70, Buffer.concat([whole, Buffer.from('140100206162', 'hex')])))
  expect(await smsc.seen('deliver_sm_resp')).toMatchObject({ sequence: 70, status: 0 })
  expect([stored.length, odd]).toMatchObject([
    1,
    [{ command: 'deliver_sm', rest: 'a TLV is longer than the PDU' }],
  ])
})

test('unknown commands, and those that are no business of an ESME, get a generic_nack with their number', async () => {
  const { session, smsc, odd } = await bindSession()
  const submit: Pdu = { command: 'submit_sm', status: 0, sequence: 51, body: message }
  smsc.sendBytes(Buffer.concat([frame(0x0001_0001, 50), bytesOf(submit), frame(0x102, 52, Buffer.from([1]))]))
  await smsc.seen('generic_nack', 3)
  expect(smsc.received.slice(1)).toMatchObject([
    { command: 'generic_nack', sequence: 50, status: commandStatus.ESME_RINVCMDID },
    { command: 'generic_nack', sequence: 51, status: commandStatus.ESME_RINVCMDID },
    { command: 'generic_nack', sequence: 52, status: commandStatus.ESME_RINVCMDLEN },
  ])
  expect([odd.length, session.state]).toEqual([3, 'bound'])
})

test('answers that nobody waits for, of known commands and unknown ones, are never answered', async () => {
  const { session, smsc, odd } = await bindSession()
  smsc.sendBytes(Buffer.concat([frame(0x8000_0111, 2), frame(0x8000_0004, 2), frame(0x8000_0000, 2)]))
  smsc.sendBytes(
    Buffer.concat([frame(0x8000_0004, 2, Buffer.from('\0\x01')), frame(0x8000_0003, 2, Buffer.from('x'))]),
  )
  await roundTrip(smsc)
  expect(smsc.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'enquire_link_resp'])
  expect([odd.length, session.state]).toEqual([5, 'bound'])
})

test('an outbind and an alert do not disturb', async () => {
  const { session, smsc, odd } = await bindSession()
  const { source } = message
  smsc.send(
    { command: 'outbind', status: 0, sequence: 1, body: { systemId: 'smsc', password: 'x' } },
    { command: 'alert_notification', status: 0, sequence: 2, body: { source, esme: source, tlvs: [] } },
  )
  await roundTrip(smsc)
  expect(odd.map(({ command }) => command)).toEqual(['outbind', 'alert_notification'])
  expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response' })
})

test('an impossible length is said to be one, and ends the session', async () => {
  for (const length of [0, 8, 15, 70_001, 0xffff_ffff]) {
    const { session, smsc } = await bindSession()
    const bytes = frame(5, 60)
    bytes.writeUInt32BE(length)
    smsc.sendBytes(Buffer.concat([bytesOf(delivery(1)), bytes, bytesOf(delivery(2))]))
    expect(await session.ended).toMatchObject({ kind: 'framing_lost' })
    await smsc.closed()
    expect(smsc.received.at(-1)).toMatchObject({
      command: 'generic_nack',
      status: commandStatus.ESME_RINVCMDLEN,
    })
  }
})

test('what is asked in the turn in which the framing is lost does not leave', async () => {
  const requests: Promise<unknown>[] = []
  const { session, smsc } = await bindSession({
    odd: (asking) => void requests.push(asking.request('submit_sm', message)),
  })
  smsc.sendBytes(Buffer.concat([frame(0x8000_0111, 9), Buffer.alloc(16)]))
  await session.ended
  await smsc.closed()
  expect(await Promise.all(requests)).toEqual([{ kind: 'not_written', reason: 'closed' }])
  expect(smsc.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'generic_nack'])
})

test('a peer that asks and never reads is not answered into memory', async () => {
  const { session, smsc, clock } = await bindSession({
    settings: { maxUnsentBytes: 10_000, stallMs: 5_000 },
  })
  smsc.socket().pause()
  const questions = Buffer.concat(Array.from({ length: 50_000 }, (_, i) => frame(0x15, i + 1)))
  const before = process.memoryUsage().arrayBuffers
  // 64 MB of answers, were they all written down; the operating system keeps 10 of them at most.
  for (let i = 0; i < 80; i++) smsc.sendBytes(questions)
  let most = 0
  while (session.state === 'bound') {
    await clock.advance(50)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(await session.ended).toMatchObject({ kind: 'write_stalled' })
  expect(most).toBeLessThan(16_000_000)
})

test('any garbage in frames of true length leaves a session that works', async () => {
  const { session, smsc } = await bindSession()
  const anyFrame = fc.oneof(
    mutatedPdu,
    fc
      .tuple(fc.nat(0xffff_ffff), fc.nat(0x7fff_ffff), octets(60))
      .map(([id, sequence, body]) => frame(id, sequence, body)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame, { maxLength: 20 }), async (frames) => {
      // What would end the session by right: an unbind.
      const harmless = frames.filter((bytes) => bytes.readUInt32BE(4) !== 6)
      smsc.sendBytes(Buffer.concat(harmless))
      expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response' })
      expect(session.openRequests).toEqual({ inFlight: 0, waiting: 0 })
    }),
    { numRuns: 300 },
  )
})

test(
  'a hundred thousand garbage PDUs leave a session that works, and memory as it was',
  { timeout: endAfter(300_000) },
  async () => {
    const { session, smsc, ...kept } = await bindSession()
    const frames = fc
      .sample(fc.oneof(mutatedPdu, anyPdu.map(bytesOf)), { numRuns: 2_000, seed: 160 })
      .filter((bytes) => bytes.readUInt32BE(4) !== 6)
    const next = createRandom()
    const sendBatch = async (): Promise<void> => {
      // Behind the command id, an octet of each PDU is another one every time.
      const changed = frames.map((bytes) => Buffer.from(bytes))
      for (const bytes of changed) bytes[8 + (next() % (bytes.length - 8))] = next()
      smsc.sendBytes(Buffer.concat(changed))
      await roundTrip(smsc)
      expect(await session.request('submit_sm', message)).toMatchObject({ kind: 'response', status: 0 })
      // The tests remember more than the session does.
      for (const list of [kept.odd, kept.late, kept.stored]) list.length = 0
      smsc.forget()
    }
    /** The least that is used after any of ten batches: what is in use for a moment only does not count. */
    const minMemory = async (): Promise<number> => {
      const seen: number[] = []
      for (let i = 0; i < 10; i++) {
        await sendBatch()
        seen.push(usedMemory())
      }
      return Math.min(...seen)
    }
    const early = await minMemory()
    for (let i = 20; i * frames.length < garbagePdus; i++) await sendBatch()
    const late = await minMemory()
    expect(session.state).toBe('bound')
    // A hundred octets kept of each PDU would be ten million.
    expect(late - early).toBeLessThan(2_000_000)
  },
)

/** Numbers that look random and are the same each time. */
function createRandom(): () => number {
  let state = 160
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 8
}

/** What is still used once the garbage is collected. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
