import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectorEvents, Inbound, Link, Outcome, Receipt } from '../../src/connectors/connector.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import { longHandOver, submissionOf } from '../contracts/contract-subject.ts'
import { expectHonestHealth, expectHonestOutcome } from '../contracts/honest.ts'
import { eventually } from '../eventually.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import { createHastyTools } from './machine-link.ts'
import { type ModemOptions, startPooledModem } from '../at-modem/modem-pool.ts'

interface World {
  modem: AtModemControl
  link: Link
  receipts: Receipt[]
  inbound: Inbound[]
  late: { attemptId: string; outcome: Outcome }[]
}

/** A link to a modem that is emulated, and what it reports. */
async function open(options: ModemOptions = {}, settings: Record<string, string> = {}): Promise<World> {
  const modem = await startPooledModem('machine', options)
  const world = launch(modem, settings)
  await world.link.start()
  return world
}

function launch(modem: AtModemControl, settings: Record<string, string> = {}): World {
  const [receipts, inbound, late]: [Receipt[], Inbound[], World['late']] = [[], [], []]
  const events: ConnectorEvents = {
    receipt: async (receipt) => void receipts.push(receipt),
    inbound: async (sms) => void inbound.push(sms),
    lateOutcome: async (attemptId, outcome) => void late.push({ attemptId, outcome }),
    healthChanged: () => undefined,
  }
  const given = { port: modem.address, pause_ms: '0', command_timeout_ms: '100000', ...settings }
  const link = modemKind.createLink(
    { id: 'dev_1', name: 'Stick', settings: given, secrets: {} },
    createHastyTools(),
    events,
  )
  onTestFinished(() => link.stop())
  return { modem, link, receipts, inbound, late }
}

const isOnline = ({ link }: World): Promise<unknown> =>
  eventually(async () => link.health().status, (status) => expect(status).toBe('online'), 10_000) // prettier-ignore

describe('a modem', () => {
  test('sends what is submitted, and reports its delivery', async () => {
    const world = await open()
    await isOnline(world)
    expectHonestHealth(world.link.health())
    expect(world.link.health().network).toMatchObject({
      registered: true,
      operator: 'Testnetz',
      signalDbm: -73,
    })
    const submission = longHandOver(2)
    const outcome = await world.link.submit(submission)
    expectHonestOutcome(outcome, submission)
    expect(outcome).toMatchObject({ kind: 'accepted', receiptExpected: true })
    const ids = outcome.kind === 'accepted' ? outcome.networkIds : []
    await eventually(
      async () => world.receipts.map(({ networkId, result }) => `${networkId} ${result}`),
      (said) => expect(said.toSorted()).toEqual(ids.map((id) => `${id} delivered`).toSorted()),
    )
    expect(world.modem.taken().map(({ text }) => text).join('')).toBe(submission.text) // prettier-ignore
  })

  test.for([
    ['generic', 2],
    ['huawei', 1],
  ] as const)('21: tells %s that more parts follow, as long as that is taken', async ([profile, times]) => {
    const world = await open({ profile })
    await isOnline(world)
    for (const parts of [1, 2, 2])
      expect((await world.link.submit(longHandOver(parts))).kind).toBe('accepted')
    expect(world.modem.commands().filter((command) => command === 'AT+CMMS=2')).toHaveLength(times)
  })

  test('passes on what it receives, and deletes it', async () => {
    const world = await open()
    await world.modem.receive({ from: '+491711234567', text: 'before it was up' })
    await isOnline(world)
    await world.modem.receive({ from: '+491711234567', text: 'after' })
    await eventually(
      async () => world.inbound.map(({ text }) => text),
      (texts) => expect(texts).toEqual(['before it was up', 'after']),
    )
    await eventually(async () => (await world.modem.state()).used, (used) => expect(used).toEqual({ SM: 0, ME: 0, SR: 0 })) // prettier-ignore
  })

  test('carries one message at a time, those that were submitted before a stop too, and none after it', async () => {
    const world = await open()
    await isOnline(world)
    const submitted = [1, 2, 3].map(() => world.link.submit(longHandOver(2)))
    const stopped = world.link.stop()
    expect((await Promise.all(submitted)).map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'accepted',
    ])
    await stopped
    expect((await world.link.submit(submissionOf())).kind).toBe('unavailable')
    expect(world.link.health().status).toBe('offline')
    const places = world.modem.taken().map(({ part }) => part?.part)
    expect(places).toEqual([1, 2, 1, 2, 1, 2])
  })

  test('comes back by itself when its line ends', async () => {
    const world = await open()
    await isOnline(world)
    await world.modem.hangUp('rst')
    await eventually(async () => world.link.health().status, (status) => expect(status).toBe('offline')) // prettier-ignore
    expect((await world.link.submit(submissionOf())).kind).toBe('unavailable')
    await isOnline(world)
    expect((await world.link.submit(submissionOf())).kind).toBe('accepted')
  })

  test('is made ready again after it has started anew on the open line', async () => {
    const world = await open({ profile: 'quectel' })
    await isOnline(world)
    await world.modem.reset()
    await eventually(async () => (await world.modem.state()).cnmi, (cnmi) => expect(cnmi).toEqual([2, 1, 0, 1, 0])) // prettier-ignore
    await isOnline(world)
    expect((await world.link.submit(submissionOf())).kind).toBe('accepted')
  })

  test('reports a response that comes after the time-out as late', async () => {
    const rules = [{ isTaken: true, answer: 'held', times: 1 } as const]
    const world = await open({ settings: { submit: { rules } } }, { send_timeout_ms: '1000' })
    await isOnline(world)
    const submission = submissionOf()
    expect(await world.link.submit(submission)).toMatchObject({ kind: 'unknown', partsTaken: 0 })
    await world.modem.answerHeld()
    await eventually(async () => world.late, (late) => expect(late).toMatchObject([{ attemptId: submission.attemptId, outcome: { kind: 'accepted' } }])) // prettier-ignore
  })

  test('says why it cannot send', async () => {
    const reasonsOf = async (options: ModemOptions): Promise<readonly string[]> => {
      const world = await open(options)
      await eventually(async () => world.link.health().reasons, (reasons) => expect(reasons).not.toContain('connecting')) // prettier-ignore
      expect(world.link.window).toBe(0)
      expectHonestHealth(world.link.health())
      return world.link.health().reasons
    }
    expect(await reasonsOf({ sim: null })).toEqual(['no_sim'])
    expect(await reasonsOf({ sim: { pin: '1234' } })).toEqual(['sim_pin'])
    expect(await reasonsOf({ sim: { smsc: null } })).toEqual(['no_smsc'])
    expect(await reasonsOf({ settings: { network: { cs: 3, ps: 0 } } })).toEqual(['not_registered'])
  })

  test('rests when the network bars its SIM', async () => {
    const rules = [{ isTaken: false, answer: ['+CMS ERROR: 8'] as const, times: 1 }]
    const world = await open({ settings: { submit: { rules } } })
    await isOnline(world)
    expect(await world.link.submit(submissionOf())).toMatchObject({ kind: 'refused', code: 'sim_blocked' })
    expect([world.link.window, world.link.health().reasons]).toEqual([0, ['sim_blocked']])
  })
})
