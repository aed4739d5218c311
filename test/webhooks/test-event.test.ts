import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testCommand } from '../../src/cli/webhook/webhook-test.ts'
import type { CommandContext } from '../../src/cli/core/command-context.ts'
import { readConfig } from '../../src/config.ts'
import { setEndpoint } from '../../src/webhooks/endpoint-store.ts'
import type { PostResult } from '../../src/webhooks/post.ts'
import { answered, anywhere, openWebhookHouse, type WebhookHouse } from './webhook-house.ts'

let house: WebhookHouse
let endpointId: string
beforeEach(async () => {
  house = await openWebhookHouse()
  ;({ endpointId } = await house.addEndpoint())
})
afterEach(() => house.close())

/** Runs `onesixty webhook test`; `meanwhile` happens each time that it waits, and its time passes by that. */
async function run(meanwhile: () => Promise<unknown>) {
  let waitedMs = 0
  const clock = {
    now: house.clock.now,
    monotonicMs: () => waitedMs,
    schedule(ms: number, then: () => void) {
      waitedMs += ms
      void meanwhile().then(then)
      return () => undefined
    },
  }
  const tools = { clock, config: readConfig({}), withStorage: (use: (storage: unknown) => unknown) => use(house.storage) }
  const input = { options: { account: 'acc_a', endpoint: endpointId }, arguments: [], json: false }
  const output = await testCommand.run(tools as unknown as CommandContext, input)
  return { ...output, waitedMs }
} // prettier-ignore

test('behind a backlog and while the endpoint fails, it says what the endpoint answered', async () => {
  house.answer = () => answered(503)
  for (let i = 0; i < 5; i++) await house.send()
  await house.deliverer.drain()
  await house.after(600_000)
  house.answer = () => answered(200)
  const output = await run(() => house.deliverer.drain())
  expect(output).toMatchObject({ exitCode: 0, json: { delivered: true, status: 200 }, waitedMs: 250 })
  expect(output.text).toMatch(/^The endpoint returned 200 in /)
})

test.for([answered(500), answered(503, '3600')])(
  'what comes of a trial that hung when somebody asked does not keep the event back: %j',
  async (came) => {
    house.answer = () => answered(500)
    await house.send()
    await house.deliverer.drain()
    await house.after(600_000)
    const hanging = Promise.withResolvers<PostResult>()
    house.answer = () => hanging.promise
    await house.send()
    house.clock.jumpWallClock(60_000)
    house.deliverer.nudge()
    await vi.waitFor(() => expect(house.posted).toHaveLength(3))
    house.clock.jumpWallClock(1)
    house.answer = () => answered(200)
    const output = await run(() => {
      hanging.resolve(came)
      return house.deliverer.drain()
    })
    expect(output.text).toMatch(/^The endpoint returned 200 in /)
  },
)

test('a redirect is no success, and it is said where to go on', async () => {
  house.answer = () => answered(308)
  const output = await run(() => house.deliverer.drain())
  expect(output).toMatchObject({ exitCode: 1, json: { delivered: false, status: 308 } })
  expect(output.text).toContain('Redirects are not followed')
})

test('where no server takes it, it asks for one after twice the time that a delivery may take', async () => {
  const output = await run(async () => undefined)
  expect(output).toMatchObject({ exitCode: 1, json: { status: null, failure: null }, waitedMs: 35_000 })
  expect(output.text).toMatch(/^No server has claimed the event: .* with the role webhooks\?$/)
})

test('what is under way is not taken for a server that does not run', async () => {
  const hanging = Promise.withResolvers<PostResult>()
  house.answer = () => hanging.promise
  const output = await run(async () => {
    house.deliverer.nudge()
    await vi.waitFor(() => expect(house.posted).toHaveLength(1))
  })
  expect(output.text).toMatch(/^The delivery is in flight without a response yet/)
  hanging.resolve(answered(200))
  await house.deliverer.drain()
})

test('an endpoint that is disabled meanwhile is said to be', async () => {
  const disable = { accountId: 'acc_a', endpointId, actor: 'test', state: 'disabled' as const }
  const deps = { ids: house.ids, nowMs: house.clock.now(), guard: anywhere }
  const output = await run(() => house.storage.writer.write((tx) => setEndpoint(tx, deps, disable)))
  expect(output.text).toMatch(/^The endpoint was disabled or removed in the meantime/)
})
