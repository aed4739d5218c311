import { afterAll, beforeAll, expect, test } from 'vitest'
import { submissionOf as handOverOfClaim } from '../../src/dispatch/submissions/submission.ts'
import { References } from '../../src/sms/references.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import {
  submissionOf,
  longHandOver,
  networkIdsOf,
  type Opened,
  openSubject,
  turnUntil,
} from '../contracts/contract-subject.ts'
import { createSmppSubject } from '../contracts/smpp-subject.ts'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'
import type { SmscChange } from '../peers/smsc/smsc-settings.ts'
import { silentTo } from './session-fixture.ts'
import { openStubLink } from './stub-link.ts'

/** Points of a right client that no one part keeps alone. */

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

const open = (settings: Record<string, string>): Promise<Opened> =>
  openSubject(createSmppSubject(() => smsc, settings))

/** Hands over as the dispatcher does, as many as there is room for, for so long; gives how many parts the SMSC got. */
async function submitFor(seconds: number, { subject, world }: Opened, parts: number): Promise<number> {
  const submits: Promise<unknown>[] = []
  for (let step = 0; step < seconds * 20; step++) {
    for (let room = subject.link.window - unsettled(); room > 0; room--) {
      const submitted = subject.link.submit(parts === 1 ? submissionOf() : longHandOver(parts))
      count += 1
      submits.push(submitted.finally(() => (settled += 1)))
    }
    await world.clock.advance(50)
    await world.atRest()
  }
  await Promise.all(submits)
  return smsc.submits().length
}
let count = 0
let settled = 0
const unsettled = (): number => count - settled

test.for([
  ['a whole rate', '20', 1, 20],
  ['a fraction', '0.5', 1, 0.5],
  ['long messages', '20', 3, 20],
] as const)('the rate holds over all sessions together: %s', async ([, rate, parts, perSecond]) => {
  const seconds = 10
  const opened = await open({ sessions: '3', max_per_second: rate })
  const got = await submitFor(seconds, opened, parts)
  expect(got).toBeGreaterThan(perSecond * seconds * 0.8)
  // What may go at once, and one message that overdraws.
  expect(got).toBeLessThanOrEqual(perSecond * seconds + Math.max(1.5, perSecond / 10) + parts)
  const used = new Set(smsc.submits().map(({ session }) => session))
  if (perSecond > 1) expect(used.size).toBeGreaterThan(1)
})

const receiptsOver = async (change: SmscChange) => {
  const opened = await open({ sessions: '2' })
  await smsc.set(change)
  const given = networkIdsOf(await opened.submit())
  await opened.subject.hearOut(opened.world)
  const sessions = (kind: 'submit' | 'delivery') =>
    smsc.records().flatMap((record) => (record.kind === kind ? [record.session] : []))
  return { given, heard: opened.world.stored.map(({ networkId }) => networkId), sessions }
}

test('a receipt is heard over another session of the link than its message went by', async () => {
  const { given, heard, sessions } = await receiptsOver({ receipts: { session: 'other' } })
  expect(heard).toEqual(given)
  expect(sessions('delivery')).toHaveLength(1)
  expect(sessions('delivery')).not.toEqual(sessions('submit'))
  await smsc.set({ receipts: { session: 'same' } })
})

test('an SMSC that asks whether we live before it lets us in is answered', async () => {
  const { smsc: stub } = await openStubLink({
    answering: (pdu, own) => {
      if (pdu.command !== 'bind_transceiver') return null
      own.send({ command: 'enquire_link', status: 0, sequence: 77, body: null })
      return null
    },
  })
  await stub.until(() => stub.received.some(({ command }) => command === 'enquire_link_resp'))
  expect(stub.received.map(({ command, sequence }) => `${command} ${sequence}`)).toEqual([
    'bind_transceiver 1',
    'enquire_link_resp 77',
  ])
})

test('a submit that was never written is no doubt, however the session ends', async () => {
  const { link, smsc: stub } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { window: '1' },
  })
  const submits = [1, 2, 3].map(() => link.submit(submissionOf()))
  await stub.seen('submit_sm')
  stub.socket().destroy()
  expect((await Promise.all(submits)).map(({ kind }) => kind)).toEqual([
    'unknown',
    'unavailable',
    'unavailable',
  ])
})

test('parts that go again say what is left of the validity, and none goes when that has ended', async () => {
  let answers = 0
  const {
    link,
    smsc: stub,
    world,
  } = await openStubLink({
    answering: ({ command, sequence }) => {
      if (command !== 'submit_sm') return null
      answers += 1
      const isFirst = answers === 1
      const body = isFirst ? { messageId: 'm1', tlvs: [] } : null
      return [{ command: 'submit_sm_resp', status: isFirst ? 0 : 0x14, sequence, body }]
    },
  })
  const outcome = await turnUntil(world, link.submit({ ...longHandOver(2), validitySeconds: 4 }), 9_000)
  const periods = stub.received.flatMap((pdu) =>
    pdu.command === 'submit_sm' && 'body' in pdu ? [pdu.body.validityPeriod] : [],
  )
  expect(periods).toEqual(['000000000004000R', '000000000004000R', '000000000003000R', '000000000001000R'])
  expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1, code: 'expired_in_queue' })
})

test('whatever was handed over within the window has a place to wait, however many parts it has', async () => {
  const { link, smsc: stub } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { window: '200' },
  })
  const ended: unknown[] = []
  for (let i = 0; i < 200; i++) void link.submit(longHandOver(10)).then((outcome) => ended.push(outcome))
  await stub.seen('submit_sm', 200)
  expect([ended, link.window]).toEqual([[], 200])
})

test('a part that has waited for room says what is left of its validity when it leaves', async () => {
  const {
    link,
    smsc: stub,
    world,
  } = await openStubLink({ answering: silentTo('submit_sm'), settings: { window: '1' } })
  void link.submit(submissionOf())
  const { sequence } = await stub.seen('submit_sm')
  void link.submit({ ...submissionOf(), validitySeconds: 10 })
  await world.clock.advance(3_000)
  stub.send({ command: 'submit_sm_resp', status: 0, sequence, body: { messageId: 'm1', tlvs: [] } })
  expect((await stub.seen('submit_sm', 2)).body).toMatchObject({ validityPeriod: '000000000007000R' })
})

test.for([
  ['of seconds', { validitySeconds: 2 }, 2_000],
  ['of less than a second', { validitySeconds: 1, validityMs: 400 }, 400],
] as const)(
  'a part that waits for room in the window does not wait beyond its validity, %s',
  async ([, validity, restMs]) => {
    const {
      link,
      smsc: stub,
      world,
    } = await openStubLink({
      answering: silentTo('submit_sm'),
      settings: { window: '1' },
    })
    void link.submit(submissionOf())
    await stub.seen('submit_sm')
    const waiting = link.submit({ ...submissionOf(), ...validity })
    let ended: unknown
    void waiting.then((outcome) => (ended = outcome))
    await world.clock.advance(restMs)
    await world.atRest()
    expect(ended).toMatchObject({ kind: 'unavailable' })
  },
)

test('a message that is tried again takes along what is left of its validity', () => {
  const claimed = { attemptId: 'att_1', to: '+491', text: 'x', expiresAt: 100_000 } as Claimed
  const left = (nowMs: number) => {
    const { validitySeconds, validityMs } = handOverOfClaim(claimed, nowMs)
    return [validitySeconds, validityMs]
  }
  expect([left(40_000), left(55_001), left(99_999)]).toEqual([
    [60, 60_000],
    [44, 44_999],
    [1, 1],
  ])
})

test('references count for each number alone, begin at a place of their own, and fit 16 bits', () => {
  const references = new References(0.5)
  const [first, second, other] = [references.next('+1'), references.next('+1'), references.next('+2')]
  expect([first, second, other]).toEqual([32_769, 32_770, 32_769])
  const last = new References(0.99999)
  expect(new Set([last.next('+1'), last.next('+1'), last.next('+1')])).toEqual(new Set([0, 1, 2]))
})

test('a number whose references were forgotten, because fifty thousand others came since, begins anew', () => {
  const references = new References(0)
  references.next('+1')
  expect(references.next('+1')).toBe(2)
  for (let i = 0; i < 50_000; i++) references.next(`n${i}`)
  expect(references.next('+1')).toBe(1)
})
