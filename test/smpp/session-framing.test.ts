import type { Duplex } from 'node:stream'
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import { pick, type Random, seededRandom } from '../peers/seeded-random.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { anyPdu, bytesOf, mutatedPdu } from './pdu-arbitraries.ts'
import { bindSession, message, type SessionUnderTest, turns } from './session-fixture.ts'

const garbagePdus = sizeOf('GARBAGE_PDUS')
/** Then the stream breaks, and the next session begins. */
const pdusEach = 500
const { maxPduBytes, stallMs, closeMs, enquireLinkMs, enquireLinkTimeoutMs } = defaultSessionLimits
/** By then every watch has rung: the one over a PDU that has begun, and the one over a peer of which no answer is understood. */
const longestMs = Math.max(stallMs, enquireLinkMs + enquireLinkTimeoutMs) + closeMs

/** How a stream of frames goes wrong, at one of them, and what must become of the session where that is certain. */
const breaks: readonly { end: string | null; spoil(frames: Buffer[], random: Random): void }[] = [
  {
    end: 'framing_lost',
    spoil: (frames, random) =>
      writeLength(frames, random, () =>
        random() < 0.5 ? pick(random, [0, 15]) : pick(random, [maxPduBytes + 1, 0xffff_ffff]),
      ),
  },
  {
    end: null,
    spoil: (frames, random) => writeLength(frames, random, (length) => length + pick(random, [1, 60])),
  },
  {
    end: null,
    spoil: (frames, random) => writeLength(frames, random, (length) => pick(random, [16, length])),
  },
  { end: null, spoil: (frames, random) => cut(frames, pick(random, [0, frames.length - 1]), random) },
  { end: 'frame_stalled', spoil: (frames, random) => cut(frames, frames.length - 1, random) },
]

function writeLength(frames: Buffer[], random: Random, lengthFor: (length: number) => number): void {
  const frame = frames[pick(random, [0, frames.length - 1])]!
  frame.writeUInt32BE(lengthFor(frame.length))
}

function cut(frames: Buffer[], at: number, random: Random): void {
  frames[at] = frames[at]!.subarray(0, pick(random, [1, frames[at]!.length - 1]))
}

test(
  'streams of garbage whose lengths lie or that are cut: each session ends in time or works on, and none is stuck',
  { timeout: endAfter(300_000) },
  async () => {
    const random = seededRandom(160)
    const garbage = fc
      .sample(fc.oneof(mutatedPdu, anyPdu.map(bytesOf)), { numRuns: 4 * pdusEach, seed: 160 })
      // What would end the session by right: an unbind.
      .filter((bytes) => bytes.readUInt32BE(4) !== 6)
    const fates: string[] = []
    const sessions = Math.ceil(garbagePdus / pdusEach)
    for (let n = 0; n < sessions; n++) {
      const { end, spoil } = breaks[n % breaks.length]!
      const frames = Array.from({ length: pdusEach }, () =>
        Buffer.from(garbage[pick(random, [0, garbage.length - 1])]!),
      )
      spoil(frames, random)
      const fate = await fateOf(Buffer.concat(frames), end === 'frame_stalled')
      expect(fate, `session ${n}`).toBe(end ?? fate)
      fates.push(fate)
    }
    expect(fates.filter((fate) => fate === 'stuck')).toEqual([])
    expect(fates).toHaveLength(sessions)
    expect(new Set(fates)).toEqual(new Set(['framing_lost', 'frame_stalled', 'works']))
  },
)

/** What becomes of a session that hears these bytes and then only answers, or at first not even those: how it ends, or that it works, or neither. */
async function fateOf(bytes: Buffer, isSilent: boolean): Promise<string> {
  let socket: Duplex & { bytesRead: number }
  const under = await bindSession({
    open:
      ({ port }) =>
      (ready) =>
        (socket = connect({ host: '127.0.0.1', port, noDelay: true }, ready)),
  })
  const { session, smsc, clock } = under
  const hasAll = (): boolean => socket.bytesRead >= smsc.socket().bytesWritten
  smsc.sendBytes(bytes)
  while (session.state === 'bound' && !hasAll()) await turns(1)
  if (isSilent) await clock.advance(stallMs)
  let asked = 0
  for (const untilMs = clock.monotonicMs() + longestMs; session.state !== 'closed';) {
    if (clock.monotonicMs() >= untilMs) return 'stuck'
    if (session.state === 'bound') asked += 1
    const told: { kind?: string } = {}
    void session.request('submit_sm', message).then(({ kind }) => (told.kind = kind))
    while (told.kind === undefined) {
      while (session.state === 'bound' && (submits(under) < asked || !hasAll())) await turns(1)
      await turns(2)
      if (told.kind === undefined) await clock.advance(1_000)
      if (clock.monotonicMs() >= untilMs) return 'stuck'
    }
    if (told.kind === 'response') break
    await clock.advance(1_000)
  }
  expect(session.openRequests).toEqual({ inFlight: 0, waiting: 0 })
  const fate = session.state === 'closed' ? await endOf(under) : 'works'
  session.abort('the next one')
  await smsc[Symbol.asyncDispose]()
  return fate
}

const submits = ({ smsc }: SessionUnderTest): number =>
  smsc.received.filter(({ command }) => command === 'submit_sm').length

async function endOf({ session, smsc, clock }: SessionUnderTest): Promise<string> {
  await clock.advance(closeMs)
  const { kind } = await session.ended
  if (kind === 'framing_lost') {
    await smsc.closed()
    expect(smsc.received.at(-1)).toMatchObject({
      command: 'generic_nack',
      status: commandStatus.ESME_RINVCMDLEN,
    })
  }
  return kind
}
