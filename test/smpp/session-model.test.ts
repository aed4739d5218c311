import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestOutcome } from '../../src/smpp/session/request-outcome.ts'
import { mutatedPdu } from './pdu-arbitraries.ts'
import { bindSession, delivery, message, type SessionUnderTest, turns } from './session-fixture.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'

const numRuns = sizeOf('SESSION_RUNS')

/** What either side may do at any time. */
type Step =
  | { kind: 'ask'; count: number }
  | { kind: 'pass'; ms: number }
  | {
      kind:
        | 'answer'
        | 'deliver'
        | 'hang'
        | 'deaf'
        | 'hear'
        | 'unbind'
        | 'leave'
        | 'lose'
        | 'close'
        | 'reset'
        | 'turn'
    }
  | { kind: 'garbage'; bytes: Buffer }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), count: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 5, arbitrary: fc.constant({ kind: 'answer' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 15_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('garbage' as const), bytes: mutatedPdu }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' as const }) },
  ...(['deliver', 'hang', 'deaf', 'hear', 'unbind', 'leave', 'lose', 'close', 'reset'] as const).map(
    (kind) => ({
      weight: 1,
      arbitrary: fc.constant({ kind }),
    }),
  ),
)

test(
  'whatever happens, each request has one outcome, and it is true',
  { timeout: endAfter(300_000) },
  async () => {
    const kinds = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const model = await startModel()
        for (const each of steps) await model.take(each)
        for (const kind of await model.end()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }),
      { numRuns },
    )
    // All kinds of outcomes were met.
    expect(kinds.size).toBe(3)
  },
)

async function startModel() {
  let hangs = false
  const under = await bindSession({
    answering: ({ command }) => (command === 'submit_sm' ? [] : null),
    settings: { window: 4, maxWaiting: 20, maxUnanswered: 3, responseTimeoutMs: 20_000 },
    store: () => (hangs ? new Promise(() => undefined) : Promise.resolve()),
  })
  const asked: Promise<RequestOutcome<'submit_sm_resp'>>[] = []
  /** Numbers that garbage answers, perhaps before anything arrived under them. */
  const forged = new Set<number>()
  const ask = (): void => {
    // Each message says which it is.
    const destination = { ton: 1, npi: 1, address: String(asked.length) }
    asked.push(under.session.request('submit_sm', { ...message, destination }))
  }
  return {
    async take(next: Step): Promise<void> {
      if (next.kind === 'ask') for (let i = 0; i < next.count; i++) ask()
      else if (next.kind === 'pass') await under.clock.advance(next.ms)
      else if (next.kind === 'hang') hangs = !hangs
      else if (next.kind === 'turn') await turns(3)
      else if (next.kind === 'leave') void under.session.unbind()
      else {
        if (next.kind === 'garbage' && isAnswer(next.bytes)) forged.add(next.bytes.readUInt32BE(12))
        actAsSmsc(under, next)
      }
    },
    /** Lets everything come to its end, and compares what was said with what arrived. */
    async end(): Promise<string[]> {
      under.smsc.socket().resume()
      void under.session.unbind()
      for (let i = 0; i < 100 && under.session.state !== 'closed'; i++) await under.clock.advance(1_000)
      const outcomes = await Promise.all(asked)
      await under.session.ended
      await under.smsc.closed()
      expect([under.session.openRequests, under.clock.waiting]).toEqual([{ inFlight: 0, waiting: 0 }, 0])
      const arrived = under.smsc.received.flatMap((pdu) =>
        pdu.command === 'submit_sm' ? [Number(pdu.body.destination.address)] : [],
      )
      expect(new Set(arrived).size).toBe(arrived.length)
      for (const [i, outcome] of outcomes.entries()) {
        if (outcome.kind === 'not_written') expect(arrived).not.toContain(i)
        if (outcome.kind === 'response' && !forged.has(outcome.sequence)) expect(arrived).toContain(i)
      }
      // At once: what listens until the test is over takes a file each, and there are thousands of lives.
      await under.smsc[Symbol.asyncDispose]()
      return outcomes.map(({ kind }) => kind)
    },
  }
}

/** A whole PDU whose command is a response (section 5.1.2.1). */
const isAnswer = (bytes: Buffer): boolean => bytes.length >= 16 && bytes.readUInt32BE(4) >= 0x80000000

function actAsSmsc({ smsc }: SessionUnderTest, next: Step): void {
  // A reset behind an end would leave a socket of Node.js that never closes.
  if (smsc.socket().writableEnded || smsc.socket().destroyed) return
  switch (next.kind) {
    case 'answer': {
      const last = smsc.received.findLast(({ command }) => command === 'submit_sm')
      if (last) smsc.send({ command: 'submit_sm_resp', status: 0, sequence: last.sequence, body: null })
      return
    }
    case 'deliver':
      return smsc.send(delivery(1), delivery(2), delivery(3), delivery(4))
    case 'garbage':
      return smsc.sendBytes(next.bytes)
    case 'deaf':
      return void smsc.socket().pause()
    case 'hear':
      return void smsc.socket().resume()
    case 'lose':
      return smsc.sendBytes(Buffer.alloc(16))
    case 'unbind':
      return smsc.send({ command: 'unbind', status: 0, sequence: 1, body: null })
    case 'close':
      return void smsc.socket().end()
    case 'reset':
      return void smsc.socket().resetAndDestroy()
    default:
  }
}
