import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { simulatorSettings } from '../../src/connectors/simulator/settings.ts'
import { createWorld, submissionOf, networkIdsOf, type Opened, openSubject } from './contract-subject.ts'
import { createSimulatorSubject } from './simulator-subject.ts'

const open = async (settings: Record<string, string> = {}): Promise<Opened> => {
  const opened = await openSubject(createSimulatorSubject(() => null))
  opened.subject.link.applySettings?.(settings)
  return opened
}
const handTo = (opened: Opened, to: string): Promise<Outcome> =>
  opened.subject.link.submit(submissionOf({ to, attemptId: 'att_01jxqz3v5hq8y9r2m4n6p8s0tw' }))
const results = ({ world }: Opened): string[] => world.stored.map((receipt) => receipt.result)

test('any number is delivered after 3 s', async () => {
  const opened = await open()
  expect(await handTo(opened, '+4915112345678')).toMatchObject({ kind: 'accepted', receiptExpected: true })
  await opened.world.clock.advance(2999)
  expect(results(opened)).toEqual([])
  await opened.world.clock.advance(1)
  expect(results(opened)).toEqual(['delivered'])
})

test('+15005550006 is delivered like any other number', async () => {
  const opened = await open({ delay_ms: '0' })
  await handTo(opened, '+15005550006')
  expect(opened.world.said, 'before the accepted outcome was returned').toEqual([])
  await opened.world.clock.advance(1)
  expect(opened.world.stored).toMatchObject([{ result: 'delivered', code: null, networkCode: null }])
})

test('+15005550002 is taken and not delivered: unreachable', async () => {
  const opened = await open()
  expect((await handTo(opened, '+15005550002')).kind).toBe('accepted')
  await opened.world.clock.advance(3000)
  expect(opened.world.stored).toMatchObject([{ result: 'undelivered', code: 'unreachable' }])
})

test('+15005550005 is refused for good at once: device_error', async () => {
  const opened = await open()
  const outcome = await handTo(opened, '+15005550005')
  expect(outcome).toMatchObject({ kind: 'refused', lasts: 'good', code: 'device_error' })
})

test('+15005550007 loses its receipt after 10 s, whatever the delay', async () => {
  const opened = await open({ delay_ms: '0' })
  expect((await handTo(opened, '+15005550007')).kind).toBe('accepted')
  await opened.world.clock.advance(9999)
  expect(results(opened)).toEqual([])
  await opened.world.clock.advance(1)
  expect(results(opened)).toEqual(['lost'])
})

test('+15005550009 expires on the device after 3 s', async () => {
  const opened = await open()
  let outcome: Outcome | null = null
  const submitted = handTo(opened, '+15005550009').then((settled) => (outcome = settled))
  await opened.world.clock.advance(2999)
  expect(outcome).toBeNull()
  await opened.world.clock.advance(1)
  expect(await submitted).toMatchObject({ kind: 'refused', lasts: 'expired' })
})

test('+15005550011 is delivered and then answers STOP once, also to a message of several parts', async () => {
  const opened = await open()
  const { world, subject } = opened
  const submission = submissionOf({ to: '+15005550011', parts: 3 })
  const outcome = await subject.link.submit(submission)
  await world.clock.advance(3000)
  expect(results(opened)).toEqual(['delivered', 'delivered', 'delivered'])
  const networkIds = outcome.kind === 'accepted' ? outcome.networkIds : []
  const reply = { from: '+15005550011', text: 'STOP', inReplyTo: networkIds.at(-1) }
  expect(world.inbound).toMatchObject([reply])
})

test('a STOP that could not be stored is said again, its receipt is not', async () => {
  const { world, subject } = await open()
  await subject.link.submit(submissionOf({ to: '+15005550011' }))
  const { receipt } = world.events
  world.events.receipt = async (said) => {
    await receipt(said)
    world.canStore = false
  }
  await world.clock.advance(10_000)
  world.canStore = true
  await world.clock.advance(60_000)
  expect(world.said).toHaveLength(1)
  expect(world.inbound).toHaveLength(1)
})

test('a STOP is stored before the receipt that would let it be forgotten', async () => {
  const { world, subject } = await open()
  await subject.link.submit(submissionOf({ to: '+15005550011' }))
  const inboundBefore: number[] = []
  world.events.receipt = async () => void inboundBefore.push(world.inbound.length)
  await world.clock.advance(10_000)
  expect(inboundBefore).toEqual([1])
})

test('a STOP that was being stored when the process was killed is said again by the next, as the same one', async () => {
  const { world, subject } = await open()
  const outcome = await subject.link.submit(submissionOf({ to: '+15005550011' }))
  world.events.receipt = () => new Promise(() => undefined)
  await world.clock.advance(10_000)
  const later = createWorld(world.clock.now())
  const next = await subject.relaunch(later)
  await next.start()
  next.resume?.(networkIdsOf(outcome).map((networkId) => ({ networkId })))
  await later.clock.advance(1)
  expect(later.stored).toHaveLength(1)
  expect(later.inbound.map(({ fingerprint }) => fingerprint)).toEqual(
    world.inbound.map(({ fingerprint }) => fingerprint),
  )
  expect(later.inbound).toHaveLength(1)
})

test('a dropped receipt never comes, not even after a restart with other settings', async () => {
  const { world, subject } = await open({ drop_receipts: 'true' })
  const outcome = await subject.link.submit(submissionOf())
  expect(outcome).toMatchObject({ kind: 'accepted', receiptExpected: true })
  subject.link.applySettings?.({ drop_receipts: 'false' })
  subject.link.resume?.(networkIdsOf(outcome).map((networkId) => ({ networkId })))
  await world.clock.advance(3_600_000)
  expect(world.said).toEqual([])
})

test('receipts wait while the device is offline and come together when it is back', async () => {
  const opened = await open()
  const { world, subject } = opened
  await subject.link.submit(submissionOf())
  await subject.link.submit(submissionOf({ to: '+15005550002' }))
  subject.link.applySettings?.({ offline: 'true' })
  await world.clock.advance(60_000)
  expect(results(opened)).toEqual([])
  subject.link.applySettings?.({})
  await world.clock.advance(1)
  expect(results(opened)).toEqual(['delivered', 'undelivered'])
})

test('settings win over numbers: a refusing device refuses the numbers that would be delivered', async () => {
  const opened = await open({ refuse: 'busy' })
  expect(await handTo(opened, '+15005550006')).toMatchObject({ kind: 'refused', lasts: 'busy' })
})

test('a changed window holds at once', async () => {
  const { subject } = await open({ window: '7' })
  expect(subject.link.window).toBe(7)
})

test('the network id names attempt, part, due time and result', async () => {
  const opened = await open()
  const [networkId] = networkIdsOf(await handTo(opened, '+15005550002'))
  const due = (opened.world.clock.now() + 3000).toString(36)
  expect(networkId).toBe(`sim_01jxqz3v5hq8y9r2m4n6p8s0tw_1_${due}_u`)
})

test('the page about the simulator has a row for each setting', () => {
  const page = readFileSync(new URL('../../docs/connectors/simulator.md', import.meta.url), 'utf8')
  for (const { name, summary, default: byDefault } of simulatorSettings) {
    expect(page).toContain(`| \`${name}\` | ${byDefault === '' ? '–' : `\`${byDefault}\``} | ${summary} |`)
  }
})
