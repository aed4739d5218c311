import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAccountPlan } from '../../src/accounts/core/account-plan.ts'
import type { Outcome } from '../../src/connectors/connector.ts'
import { addRule, setRule } from '../../src/devices/routes/rule-store.ts'
import { readWay } from '../../src/devices/routes/way-words.ts'
import { explainMessage } from '../../src/dispatch/devices/explain-on-pool.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { applyToDeferred, applyToQueue, firstPlace } from '../../src/messages/queue/apply-ways.ts'
import { claimMessages, type ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'
import { drawWays } from '../../src/sending/choose-ways.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { isPostgres } from '../test-database.ts'
import { expectSums } from '../messages/expect-sums.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

const secondMs = 1_000
const minuteMs = 60_000

let house: MessagesFixture
/** What each device answers; `accepted` without. */
let answers: Map<string, Outcome['kind']>

beforeEach(async () => {
  answers = new Map()
  const kind = scriptedKind({ submit: async () => ({ kind: 'unavailable', detail: 'a stub' }) })
  house = await openMessagesFixture(
    {
      ...kind,
      createLink(setup, tools, events) {
        const link = kind.createLink(setup, tools, events)
        const health = link.health.bind(link)
        const answer = (attemptId: string): Outcome =>
          answers.get(setup.id) === 'refused'
            ? { kind: 'refused', lasts: 'now', code: 'no_service', networkCode: null }
            : { kind: 'accepted', networkIds: [attemptId], receiptExpected: false }
        return Object.assign(link, {
          submit: async ({ attemptId }: { attemptId: string }) => answer(attemptId),
          health: () => ({ ...health(), status: answers.get(setup.id) === 'unavailable' ? 'offline' : 'online' }), // prettier-ignore
        })
      },
    },
    // What a test waits for it asks for: the clock finds nothing more in between.
    { pollIntervalMs: 10_000 },
  )
  await house.addGrantedAccount()
  // One part in an hour: the second message waits.
  await house.addDevice('dev_own', { accountId: 'acc_a', pace: [1, 3_600] })
  await house.addDevice('dev_net')
})
afterEach(async () => {
  await expectSums(house.storage.read, house.clock.now())
  await house.close()
})

const deps = () => ({ ids: house.ids, nowMs: house.clock.now() })
async function rule(way: string, conditions = {}): Promise<string> {
  const added = { accountId: null, name: way, conditions, stages: readWay(way), actor: 'test' }
  const id = await house.storage.writer.write((tx) => addRule(tx, deps(), added))
  await house.pool.reloadIfChanged()
  return id
}

/** Accepts messages as the sender does: with the ways of now. */
async function send(count: number, category: 'transactional' | 'marketing' = 'transactional'): Promise<void> {
  const request = house.request({ to: Array.from({ length: count }, (_, i) => `+4915112345${100 + i}`), category }) // prettier-ignore
  const choices = request.recipients.map(({ to, country }) => ({
    ...house.pool.routes.choose({ accountId: 'acc_a', mode: 'live', to, country, from: null, category, encoding: 'gsm7', parts: 1 }), // prettier-ignore
    via: null,
  }))
  await house.send({ category, ...drawWays(house.pool.routes, 'acc_a', request.recipients, { choices, messageIds: request.messageIds }) }) // prettier-ignore
  await house.dispatcher.drain()
}

/** Which device had each message that was submitted, and why, in the order of attempts. */
const attempts = async (): Promise<string[]> => {
  const rows = await house.storage.read.selectFrom('attempts').select(['device_id', 'why', 'state']).orderBy('started_at').orderBy('id').execute() // prettier-ignore
  return rows.map(({ device_id, why, state }) => [device_id, ...(why === null ? [] : [why]), ...(state === 'refused' ? ['refused'] : [])].join(' ')) // prettier-ignore
}

/** Applies the rules of now to what waits on the route of a message. */
const applied = (queued?: { route_key: string }, after = firstPlace) =>
  house.storage.writer.write((tx) =>
    applyToQueue(tx, {
      route: { account_id: 'acc_a', route_key: queued?.route_key ?? '' },
      after,
      resolve: house.pool.routes.resolveWaiting,
      take: changeOnDemand(tx, house.clock.now()),
    }),
  )

async function passes(ms: number): Promise<void> {
  await house.clock.advance(ms)
  await house.dispatcher.drain()
}

test('a plan that an account gets decides about what is accepted from then on', async () => {
  await rule('dev_net', { plan: ['pro'] })
  const set = async (plan: string | null): Promise<void> => {
    await house.storage.writer.write((tx) =>
      setAccountPlan(tx, deps(), { accountId: 'acc_a', plan, actor: 'test' }),
    )
    await house.pool.reloadIfChanged()
  }
  await send(1)
  await set('pro')
  await send(1)
  expect(await attempts()).toEqual(['dev_own', 'dev_net'])
  await set(null)
  await send(1)
  expect(await attempts()).toEqual(['dev_own', 'dev_net'])
  expect(await house.statuses()).toEqual(['sent', 'sent', 'queued'])
})

test('with the phone at its pace a message goes over the provider after five minutes, and marketing never', async () => {
  await rule('own; shared after=5m offline=never', { category: ['transactional', 'authentication'] })
  await rule('own', { category: ['marketing'] })
  await send(2)
  await send(1, 'marketing')
  expect(await attempts()).toEqual(['dev_own'])
  await passes(5 * minuteMs - 2 * secondMs)
  expect(await attempts()).toEqual(['dev_own'])
  await passes(3 * secondMs)
  expect(await attempts()).toEqual(['dev_own', 'dev_net waited'])
  await passes(6 * minuteMs)
  expect(await house.statuses()).toEqual(['sent', 'sent', 'queued'])
})

test('with busy it goes at once, and at once when the phone is off', async () => {
  await rule('own; shared busy')
  await send(3)
  expect(await attempts()).toEqual(['dev_own', 'dev_net busy_before', 'dev_net busy_before'])
  answers.set('dev_own', 'unavailable')
  await send(1)
  expect((await attempts()).at(-1)).toBe('dev_net offline_before')
})

test('what a phone refuses goes over the next stage at once, where a rule names one', async () => {
  answers.set('dev_own', 'refused')
  await rule('own; shared')
  await send(1)
  expect(await attempts()).toEqual(['dev_own refused', 'dev_net refused_before'])
  expect(await house.statuses()).toEqual(['sent'])
})

test('of a message that one device refused while the next has no room, the page says so of both', async () => {
  await house.addDevice('dev_slow', { pace: [1, 3_600] })
  await rule('dev_slow', { category: ['marketing'] })
  await rule('own; dev_slow; shared offline=never', { category: ['transactional'] })
  answers.set('dev_own', 'refused')
  await send(1, 'marketing')
  await send(1)
  expect(await attempts()).toEqual(['dev_slow', 'dev_own refused'])
  const { id } = await house.storage.read.selectFrom('messages').select('id').where('status', '=', 'queued').executeTakeFirstOrThrow() // prettier-ignore
  const details = await readMessageDetails(house.storage.read, { accountId: 'acc_a', mode: 'live' }, id)
  const stages = await explainMessage(
    { ...house, read: house.storage.read },
    details!.message,
    details!.routeKey,
  )
  expect(stages.map(({ isOpen, devices }) => [isOpen, ...devices.map(({ id: device, verdict }) => `${device} ${verdict}`)])).toEqual([
    [true, 'dev_own refused_this_message'],
    [true, 'dev_slow at_pace'],
    [false, 'dev_net later_stage', 'dev_slow later_stage'],
  ]) // prettier-ignore
})

test.each([
  ['ten minutes', '10m', 10 * minuteMs],
  ['a second', '1s', secondMs],
])(
  'a stage opens %s after the last device before worked, by the reports about it',
  async (_, offline, waitsMs) => {
    await rule(`own; shared offline=${offline}`)
    answers.set('dev_own', 'unavailable')
    const offAtMs = house.clock.now()
    const history = [
    { device_id: 'dev_own', from_at: offAtMs - minuteMs, until_at: offAtMs, status: 'online' as const, reasons: '[]' },
    { device_id: 'dev_own', from_at: offAtMs, until_at: null, status: 'offline' as const, reasons: '[]' },
  ] // prettier-ignore
    await house.storage.writer.write((tx) => tx.insertInto('device_states').values(history).execute())
    await send(1)
    await passes(waitsMs - secondMs)
    expect(await attempts()).toEqual([])
    await passes(2 * secondMs)
    expect(await attempts()).toEqual(['dev_net offline_before'])
  },
)

test('rules change nothing of what waits, until they are applied to it: then it keeps its place and its hold', async () => {
  const id = await rule('own')
  await send(3)
  const waiting = () => house.storage.read.selectFrom('queue').selectAll().orderBy('message_id').execute()
  const before = await waiting()
  expect(before).toHaveLength(2)
  await house.storage.writer.write((tx) => setRule(tx, deps(), { ruleId: id, stages: readWay('own; shared busy'), actor: 'test' })) // prettier-ignore
  await house.pool.reloadIfChanged()
  await passes(minuteMs)
  expect(await waiting()).toEqual(before)
  // A page begins behind the place where the one before it ended.
  expect(await applied(before[0], before[0])).toEqual({ moved: 1, refused: 0, held: 0, after: null })
  expect(await applied(before[0])).toEqual({ moved: 1, refused: 0, held: 0, after: null })
  const after = await waiting()
  const placeOf = ({ route_key, ...place }: (typeof before)[number]) => ({
    ...place,
    isRouted: route_key !== '',
  })
  expect(after.map(placeOf)).toEqual(before.map(placeOf))
  expect(after[0]?.route_key).not.toBe(before[0]?.route_key)
  await passes(secondMs)
  expect(await house.statuses()).toEqual(['sent', 'sent', 'sent'])
})

test('what a rule of now refuses is canceled where it waits, and goes over no other device', async () => {
  const id = await rule('own')
  await send(2)
  const [queued] = await house.storage.read.selectFrom('queue').selectAll().execute()
  await house.send({ to: ['+4915112345999'], sendAt: house.clock.now() + minuteMs })
  await house.storage.writer.write((tx) => setRule(tx, deps(), { ruleId: id, stages: null, actor: 'test' }))
  await house.pool.reloadIfChanged()
  const hold = (restore_hold: 0 | 1) => house.storage.writer.write((tx) => tx.updateTable('queue').set({ restore_hold }).execute())
  await hold(1)
  expect(await applied(queued)).toEqual({ moved: 0, refused: 0, held: 1, after: null })
  await hold(0)
  expect(await applied(queued)).toEqual({ moved: 0, refused: 1, held: 0, after: null })
  const nowMs = house.clock.now()
  const page = { accountId: 'acc_a', mode: 'live', afterId: '', resolve: house.pool.routes.resolveWaiting } as const
  const deferred = await house.storage.writer.write((tx) => applyToDeferred(tx, { ...page, take: changeOnDemand(tx, nowMs) }))
  expect(deferred).toEqual({ moved: 0, refused: 1, held: 0, after: null })
  await passes(2 * minuteMs)
  const codes = await house.storage.read.selectFrom('messages').select(['status', 'error_code']).orderBy('id').execute()
  expect([codes, await attempts()]).toEqual([
    [{ status: 'sent', error_code: null }, ...[1, 2].map(() => ({ status: 'canceled', error_code: 'destination_not_allowed' }))],
    ['dev_own'],
  ])
}) // prettier-ignore

test('a node that does not know a way reads it before it claims', async () => {
  await rule('own; shared busy')
  await send(3)
  const queued = house.request({ to: ['+4915112345999'] })
  const stages = '{"stages":[{"use":["dev_net"]}]}'
  await house.send({ recipients: [{ to: '+4915112345999', country: 'DE', way: 'elsewhere0' }], ways: [{ id: 'elsewhere0', text: stages }], messageIds: queued.messageIds }) // prettier-ignore
  await house.dispatcher.drain()
  expect((await attempts()).at(-1)).toBe('dev_net')
})

test('what an account has on several ways is claimed as it would be on one: by category, then by age', async () => {
  const ways = ['w1', 'w2'].map((id) => ({ id, text: '{"stages":[{"use":["dev_none"]}]}' }))
  for (const category of ['marketing', 'authentication'] as const) {
    const request = house.request({ to: [1, 2, 3].map((i) => `+4915112345${i}00`), category })
    const recipients = request.recipients.map((each, i) => ({ ...each, way: `w${(i % 2) + 1}` }))
    await house.send({ category, messageIds: request.messageIds, ways, recipients })
  }
  const request = { accountId: 'acc_a', mode: 'live', deviceId: 'dev_net', quota: 10, partsOver: 0, partsUpTo: 10 } as const
  const at = { requests: ways.map(({ id }) => ({ ...request, routeKey: `live~${id}:` })), nowMs: house.clock.now(), dueMs: house.clock.now(), fence: 1 }
  const { claimed } = await house.storage.writer.write((tx) => claimMessages(tx, house.ids, at, changeOnDemand(tx, at.nowMs)))
  const ids = await house.storage.read.selectFrom('messages').select('id').orderBy('category').orderBy('id').execute()
  expect(claimed.map(({ messageId }) => messageId)).toEqual(ids.map(({ id }) => id))
}) // prettier-ignore

test('a device that does not send to a number gets no message to it, by a rule or without', async () => {
  await house.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set({ destinations: '{"onlyTo":["33"]}', updated_at: house.clock.now() + 1 }).where('id', '=', 'dev_own').execute() // prettier-ignore
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  await send(1)
  expect(await attempts()).toEqual(['dev_net offline_before'])
  await rule('own; shared busy')
  await send(1)
  expect((await attempts()).at(-1)).toBe('dev_net offline_before')
})

test('what has waited is found by the key of the queue for each priority, and what is due by the same', async () => {
  await rule('own')
  for (let i = 0; i < 4; i++) await send(60)
  const { route_key } = await house.storage.read.selectFrom('queue').select('route_key').executeTakeFirstOrThrow() // prettier-ignore
  const request = { accountId: 'acc_a', mode: 'live', routeKey: route_key, deviceId: 'dev_net', quota: 10, partsOver: 0, partsUpTo: 10, why: 'waited', waitedMs: 300_000 } as const // prettier-ignore
  const nowMs = house.clock.now()
  const read = house.storage.read as never
  const claim = (asked: ClaimRequest) => () => claimMessages(read, house.ids, { requests: [asked], nowMs, dueMs: nowMs, fence: 1 }, changeOnDemand(read, nowMs)) // prettier-ignore
  const statements = await statementsOf(house.storage.read, claim(request))
  // Without a later stage a claim asks what it asked before there were ways.
  const { waitedMs: _, ...usual } = { ...request, routeKey: 'live:' }
  const asked = await statementsOf(house.storage.read, claim(usual))
  expect(asked.filter(({ sql }) => /\bqueue\b/.test(sql))).toHaveLength(1)
  await house.storage.writer.write((tx) => analyse(tx))
  const steps = (await stepsOf(house.dataFolder, ...statements)).filter((step) => /\b(queue|q)\b/.test(step))
  expect(steps.length).toBeGreaterThan(0)
  for (const step of steps)
    expect(step).toMatch(
      isPostgres
        ? /^SEARCH queue BY queue_pkey \(route_key= account_id= priority= due_at<=\)/
        : /^SEARCH q USING PRIMARY KEY \(route_key=\? AND account_id=\? AND priority=\? AND due_at<\?/,
    )
})
