import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import { createSmppSubject } from '../contracts/smpp-subject.ts'
import { submissionOf, longHandOver, type Opened, openSubject } from '../contracts/contract-subject.ts'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'
import { openJudged } from './judged-link.ts'

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

const queueFull = 0x14
const open = (settings: Record<string, string> = {}): Promise<Opened> =>
  openSubject(createSmppSubject(() => smsc, settings))
const answerNext = (...statuses: number[]): Promise<unknown> =>
  smsc.set({ submit: { rules: statuses.map((status) => ({ status, times: 1 })) } })

test('full queues of three recipients in a row slow the link down, and each message goes behind those of others all the same', async () => {
  const { world, subject, submit } = await open()
  await answerNext(queueFull, queueFull, queueFull)
  for (let i = 0; i < 2; i++) {
    expect(await submit()).toMatchObject({
      lasts: 'busy',
      networkCode: 'ESME_RMSGQFUL',
      recipientAlone: true,
    })
    expect([subject.link.health().status, subject.link.window]).toEqual(['online', 10])
  }
  expect(await submit()).toMatchObject({ kind: 'refused', lasts: 'busy', recipientAlone: true })
  expect(subject.link.health()).toMatchObject({ status: 'degraded', reasons: ['throttled'] })
  expect(subject.link.window).toBe(0)
  await world.clock.advance(1_000)
  expect(subject.link.window).toBeGreaterThan(0)
  expect(subject.link.window).toBeLessThan(10)
})

test('one handset that is full slows nobody down, however many parts its messages have and however often they come', async () => {
  const { subject, submit } = await open()
  await answerNext(...Array.from({ length: 9 }, () => queueFull))
  for (let i = 0; i < 3; i++)
    expect(await submit({ ...longHandOver(3), to: '+4915112345678' })).toMatchObject({
      lasts: 'busy',
      recipientAlone: true,
    })
  expect([subject.link.health().status, subject.link.window]).toEqual(['online', 10])
})

test('full queues with a message taken in between say nothing about the link', async () => {
  const { subject, submit } = await open()
  await answerNext(queueFull, queueFull, 0, queueFull, queueFull)
  const kinds: string[] = []
  for (let i = 0; i < 6; i++) kinds.push((await submit()).kind)
  expect(kinds).toEqual(['refused', 'refused', 'accepted', 'refused', 'refused', 'accepted'])
  expect([subject.link.health().status, subject.link.window]).toEqual(['online', 10])
})

test('a single word of too much slows the link down at once', async () => {
  const { subject, submit } = await open()
  await answerNext(0x58)
  expect(await submit(submissionOf())).toMatchObject({ kind: 'refused', lasts: 'busy' })
  expect([subject.link.health().status, subject.link.window]).toEqual(['degraded', 0])
})

test('what slows the link down is the class of an answer: a code of the vendor does where it is busy, and too much does not where it is not', async () => {
  const { subject, submit } = await open({ status_classes: '0x402=busy 0x58=now 0x14=now' })
  await answerNext(0x58, 0x14, 0x14, 0x14)
  for (let i = 0; i < 4; i++) expect(await submit()).toMatchObject({ kind: 'refused', lasts: 'now' })
  expect([subject.link.health().status, subject.link.window]).toEqual(['online', 10])
  await answerNext(0x402)
  expect(await submit()).toMatchObject({ kind: 'refused', lasts: 'busy', networkCode: '0x00000402' })
  expect([subject.link.health().status, subject.link.window]).toEqual(['degraded', 0])
})

test('an SMSC that takes fifty a second gets more than half of that, and the link is not silent for longer than two seconds', async () => {
  const taken: number[] = []
  const { link, world } = await openJudged(
    (nowMs) => {
      const isTooMuch = taken.filter((atMs) => atMs > nowMs - 1_000).length >= 50
      if (!isTooMuch) taken.push(nowMs)
      return isTooMuch ? 0x58 : 0
    },
    { window: '50' },
  )
  let unsettled = 0
  const seconds = 20
  for (let step = 0; step < seconds * 20; step++) {
    for (let room = link.window - unsettled; room > 0; room--) {
      unsettled += 1
      void link.submit(submissionOf()).finally(() => (unsettled -= 1))
    }
    await world.atRest()
    await world.clock.advance(50)
  }
  const times = [0, ...taken, seconds * 1_000]
  const silences = times.slice(1).map((atMs, i) => atMs - (times[i] as number))
  expect(Math.max(...silences)).toBeLessThanOrEqual(2_000)
  expect(taken.length / seconds).toBeGreaterThan(25)
})

test.for(['ESME_RSUBMITFAIL', 'ESME_RX_T_APPN', 'ESME_RDELIVERYFAILURE'] as const)(
  '%s may be about its recipient, unless the carrier says what it means; a fault of the SMSC is not',
  async (name) => {
    const status = commandStatus[name]
    const { submit } = await open()
    await answerNext(status, commandStatus.ESME_RSYSERR)
    expect(await submit()).toMatchObject({ lasts: 'now', networkCode: name, mayBeRecipient: true })
    expect(await submit()).not.toHaveProperty('mayBeRecipient')
    const told = await open({ status_classes: `0x${status.toString(16)}=good` })
    await answerNext(status)
    const refusal = await told.submit()
    expect(refusal).toMatchObject({ lasts: 'good', networkCode: name })
    expect(refusal).not.toHaveProperty('mayBeRecipient')
  },
)
