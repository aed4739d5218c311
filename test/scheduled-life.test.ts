import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { startApp, type TestApp } from './harness.ts'

let house: TestApp
beforeAll(async () => {
  house = await startApp()
})
afterAll(() => house.stop())

test('the whole program hands a scheduled message over within 2 s of its time, by the clock of its database', async () => {
  const { testKey } = await house.openAccount('Ada')
  const sendAt = Date.now() + 2_500
  const body = { to: '+15005550006', text: 'Later', send_at: new Date(sendAt).toISOString() }
  const answer = await eventually(
    () => house.client.send(testKey, body),
    ({ status }) => expect(status).toBe(202),
  )
  const id = answer.body.messages[0]?.id
  expect(answer.body.messages[0]).toMatchObject({ status: 'scheduled' })
  const sent = await eventually(
    async () => (await house.client.history(testKey, `id=${id}`))[0]!,
    (message) => expect(['sent', 'delivered']).toContain(message.status),
    10_000,
  )
  const afterMs = Date.parse(sent.sent_at!) - sendAt
  expect(afterMs).toBeGreaterThanOrEqual(0)
  expect(afterMs).toBeLessThanOrEqual(2_000)
})
