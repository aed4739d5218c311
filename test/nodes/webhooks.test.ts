import { randomBytes } from 'node:crypto'
import { onTestFinished, expect, test } from 'vitest'
import { createWebhookSecretBox } from '../../src/runtime/secret-box.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import { addEndpoint } from '../../src/webhooks/endpoint-store.ts'
import { openReceiver, verified } from '../webhooks/receiver.ts'
import { anywhere } from '../webhooks/webhook-house.ts'
import { openCluster } from './cluster.ts'

const sends = 30

test('webhooks are told by the nodes that have the role, each event by one of them', { timeout: 90_000 }, async () => {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const cluster = await openCluster()
  const allowed = { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1' }
  const front = await cluster.start({ ...allowed, ONESIXTY_NODE: 'front', ONESIXTY_ROLES: 'api,dispatch,janitor' })
  const { accountId, testKey } = await cluster.openAccount('Ada')
  const secretBox = createWebhookSecretBox(await loadInstanceSecret(front.config))
  const { secret } = await front.app.storage.writer.write((tx) =>
    addEndpoint(
      tx,
      { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes, secretBox, maxEndpoints: 0, guard: anywhere },
      { accountId, url: receiver.url, actor: 'test' },
    ),
  )
  for (let i = 0; i < sends; i++) await front.client.send(testKey, { to: '+15005550006', text: `Hello ${i}` })
  const delivered = async () => (await front.client.history(testKey, 'status=delivered')).length
  await expect.poll(delivered, { timeout: 30_000 }).toBe(sends)
  expect(receiver.received).toEqual([])

  await cluster.start({ ...allowed, ONESIXTY_NODE: 'first', ONESIXTY_ROLES: 'webhooks' })
  await cluster.start({ ...allowed, ONESIXTY_NODE: 'second', ONESIXTY_ROLES: 'webhooks' })
  const waiting = async () =>
    (await front.app.storage.read.selectFrom('webhook_deliveries').select('event_id').where('closed_at', 'is', null).execute()).length
  await expect.poll(waiting, { timeout: 40_000 }).toBe(0)
  const told = receiver.received.map((one) => verified(secret, one).id)
  expect(told).toHaveLength(3 * sends)
  expect(new Set(told).size).toBe(told.length)
}) // prettier-ignore
