import { randomBytes } from 'node:crypto'
import { renderMessage } from '../../src/api/v1/message-view.ts'
import { createWebhookSecretBox } from '../../src/runtime/secret-box.ts'
import { createLog } from '../../src/process/log.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { Deliverer, type DelivererDeps } from '../../src/webhooks/deliverer.ts'
import { addEndpoint } from '../../src/webhooks/endpoint-store.ts'
import type { PostResult } from '../../src/webhooks/post.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

export interface Posted {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  atMs: number
}

export interface WebhookHouse extends MessagesFixture {
  deliverer: Deliverer
  /** What was posted, in its order. */
  posted: Posted[]
  /** What endpoints answer; 200 unless a test says otherwise. */
  answer: (posted: Posted) => PostResult | Promise<PostResult>
  secretBox: DelivererDeps['secretBox']
  addEndpoint(endpoint?: {
    accountId?: string
    url?: string
    types?: string[]
    mode?: Mode
  }): Promise<{ endpointId: string; secret: string }>
  /** What was posted as the nth, read. */
  bodyOf(index: number): { id: string; data: { message: { text: string | null } } }
  deliveries(): ReturnType<typeof readDeliveries>
  attempts(): ReturnType<typeof readAttempts>
  /** Lets so much time pass by the wall clock, which says what is due, and what is due then be tried: nothing that polls runs on the way. */
  after(ms: number): Promise<void>
  /** Another server of the same database. */
  anotherDeliverer(): Deliverer
  endpoint(id: string): Promise<{
    state: string
    disabled_because: string | null
    failing_since: number | null
    failing_because: string | null
    resumes_at: number | null
  }>
}

/** Lets endpoints be wherever a test wants them. */
export const anywhere = { permits: () => true }

export const answered = (status: number, retryAfter: string | null = null): PostResult => ({
  kind: 'answered',
  status,
  retryAfter,
  answer: 'noted',
})

/** Messages, their events and the deliverer on a real store, with endpoints that a test plays, and a clock that it turns. */
export async function openWebhookHouse(): Promise<WebhookHouse> {
  const base = await openMessagesFixture()
  const { storage, clock, ids } = base
  await base.addAccount('acc_a', 1_000)
  await base.addAccount('acc_b', 1_000)
  const secretBox = createWebhookSecretBox({ current: 'a secret of the tests, long enough', former: [] })
  const deliverers: Deliverer[] = []
  const open = (): Deliverer => {
    const deliverer = new Deliverer({
      read: storage.read,
      writer: storage.writer,
      clock,
      dueNow: clock.now,
      timeOf: async () => clock.now(),
      ids,
      random: () => 0.5,
      log: createLog('silent', { write: () => undefined }),
      metrics: createMetrics(),
      secretBox,
      renderMessage,
      async post(url, { headers, body }) {
        const posted = { url: url.href, headers, body, atMs: clock.now() }
        house.posted.push(posted)
        return house.answer(posted)
      },
      timeoutMs: 15_000,
      pollIntervalMs: 500,
      maxInLane: 16,
      maxConnections: 1_000,
      disableAfterMs: 5 * 86_400_000,
    })
    deliverers.push(deliverer)
    return deliverer
  }
  const house: WebhookHouse = {
    ...base,
    deliverer: open(),
    posted: [],
    answer: () => answered(200),
    secretBox,
    addEndpoint: ({ accountId = 'acc_a', url = 'https://shop.example.org/sms', types = [], mode } = {}) =>
      storage.writer.write((tx) =>
        addEndpoint(
          tx,
          { ids, nowMs: clock.now(), secretBox, randomBytes, maxEndpoints: 0, guard: anywhere },
          { accountId, url, types, mode: mode ?? null, actor: 'test' },
        ),
      ),
    bodyOf: (index) => JSON.parse(house.posted[index]?.body ?? 'null') as ReturnType<WebhookHouse['bodyOf']>,
    deliveries: () => readDeliveries(base),
    attempts: () => readAttempts(base),
    async after(ms) {
      clock.jumpWallClock(ms)
      await clock.advance(0)
      await house.deliverer.drain()
    },
    anotherDeliverer: open,
    endpoint: (id) =>
      storage.read
        .selectFrom('webhook_endpoints')
        .select(['state', 'disabled_because', 'failing_since', 'failing_because', 'resumes_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    async close() {
      for (const deliverer of deliverers) await deliverer.stop()
      await base.close()
    },
  }
  await house.deliverer.start()
  return house
}

const readDeliveries = ({ storage }: MessagesFixture) =>
  storage.read.selectFrom('webhook_deliveries').selectAll().orderBy('event_id').execute()

const readAttempts = ({ storage }: MessagesFixture) =>
  storage.read.selectFrom('webhook_attempts').selectAll().orderBy('at').orderBy('event_id').execute()
