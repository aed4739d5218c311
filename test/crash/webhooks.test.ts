import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type EventBody, openReceiver, type Receiver, verified } from '../webhooks/receiver.ts'
import { type CrashHouse, openCrashHouse } from './crash-house.ts'
import { sizeOf } from '../proof-sizes.ts'
import { testTimes } from '../quick-times.ts'

const kills = sizeOf('WEBHOOK_KILLS')
const perSecond = 40
/** Requests accepted before each kill, at least. */
const sentBetweenKills = 40

let house: CrashHouse
let receiver: Receiver
let secret: string
/** What the receiver has heard, verified as it came, by the id of the event: it outlives every kill. */
const heard = new Map<string, { event: EventBody; times: number; bodies: Set<string> }>()
/** Deliveries received and never answered; while a kill is near no other is answered, so that it meets deliveries under way. */
const unanswered = new Set<string>()
let killIsNear = false

beforeAll(async () => {
  receiver = await openReceiver()
  // What was under way at a kill is due again a moment after this.
  const env = { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1', ONESIXTY_WEBHOOK_TIMEOUT_MS: '2000' }
  house = await openCrashHouse({ window: '20', delay_ms: '400' }, { env, times: testTimes })
  const added = await house.onesixty<{ secret: string }>('webhook', 'add', '--account', house.accountId, '--url', receiver.url)
  secret = added.secret
  receiver.handle = (request, response) => {
    const one = receiver.received.at(-1)!
    const event = verified(secret, one)
    expect(request.headers['webhook-id']).toBe(event.id)
    const known = heard.get(event.id) ?? { event, times: 0, bodies: new Set() }
    heard.set(event.id, { ...known, times: known.times + 1, bodies: known.bodies.add(one.body) })
    if (killIsNear) unanswered.add(event.id)
    else response.end()
  }
}) // prettier-ignore
afterAll(async () => {
  await house.close()
  await receiver.close()
})

test('kills during delivery lose no event, and what is told again has the same id and says the same', async () => {
  const load = house.load({ perSecond })
  for (let kill = 0; kill < kills; kill++) {
    load.resume()
    const before = heard.size
    await eventually(
      () => heard.size - before,
      (count) => expect(count).toBeGreaterThan(60),
      20_000,
    )
    // A quick machine hears of sixty events before enough was sent.
    await eventually(
      () => load.accepted.size,
      (count) => expect(count).toBeGreaterThan((kill + 1) * sentBetweenKills),
      20_000,
    )
    const open = unanswered.size
    killIsNear = true
    await eventually(
      () => unanswered.size - open,
      (count) => expect(count).toBeGreaterThan(0),
      20_000,
    )
    await house.server.kill('SIGKILL')
    killIsNear = false
    await load.pause()
    await house.restart()
    await load.repeatUnanswered()
  }
  await house.drained()
  const messages = await house.client.history(house.liveKey)
  expect(messages.length).toBeGreaterThan(100)
  const missing = (): string[] => {
    const told = new Set([...heard.values()].map(({ event }) => `${event.data.message?.id} ${event.type}`))
    return messages.flatMap(({ id, status }) =>
      [`${id} message.queued`, `${id} message.${status}`].filter((each) => !told.has(each)),
    )
  }
  await eventually(missing, (left) => expect(left).toEqual([]), 60_000)
  const toldOnce = (): string[] => [...unanswered].filter((id) => heard.get(id)!.times === 1)
  await eventually(toldOnce, (left) => expect(left).toEqual([]), 60_000)

  const happenings = Map.groupBy(
    heard.values(),
    ({ event }) => `${event.data.message?.id} ${event.data.sequence}`,
  )
  expect([...happenings.values()].filter((ids) => ids.length > 1)).toEqual([])
  expect([...heard.values()].filter(({ bodies }) => bodies.size > 1)).toEqual([])
})
