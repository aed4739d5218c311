import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { databaseTime } from '../../src/storage/seam/database-time.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { eventually } from '../eventually.ts'
import { type ClusterNode, openCluster } from './cluster.ts'

const hourMs = 3_600_000
const wrongBy = (ms: number): Clock => ({ ...systemClock, now: () => systemClock.now() + ms })

test(
  'a node whose clock is two hours slow hands over nothing whose validity has ended',
  { timeout: 60_000 },
  async () => {
    const cluster = await openCluster()
    // It tidies nothing up: what it must not hand over stays in the queue, where its claims find it.
    const node = await cluster.start({ ONESIXTY_ROLES: 'api,dispatch' }, wrongBy(-2 * hourMs))
    const { testKey } = await cluster.openAccount('Ada')
    await setOffline(node, true)
    const send = async (text: string): Promise<string> => {
      const { status, body } = await node.client.send(testKey, { to: '+4915112345678', text })
      expect(status).toBe(202)
      return body.messages[0]!.id
    }
    const late = await send('too late')
    await endValidity(node, late)
    const fresh = await send('in time')
    await setOffline(node, false)
    const shown = (id: string) => node.client.message(testKey, id)
    await eventually(
      () => shown(fresh),
      ({ status }) => expect(status).toBe('delivered'),
      20_000,
    )
    expect(await shown(late)).toMatchObject({ status: 'queued', attempts: 0 })
  },
)

test(
  'what a node writes whose clock is two hours fast bears the time of the database',
  { timeout: 60_000 },
  async () => {
    const cluster = await openCluster()
    const node = await cluster.start({}, wrongBy(2 * hourMs))
    const { testKey } = await cluster.openAccount('Ada')
    const { body } = await node.client.send(testKey, { to: '+4915112345678', text: 'on time' })
    const { id } = body.messages[0]!
    await eventually(
      () => node.client.message(testKey, id),
      ({ status }) => expect(status).toBe('delivered'),
      30_000,
    )
    const { read } = node.app.storage
    const row = await read
      .selectFrom('messages')
      .select(['created_at', 'sent_at', 'delivered_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const nowMs = await databaseTime(read, systemClock)
    for (const atMs of Object.values(row)) expect(Math.abs(nowMs - Number(atMs))).toBeLessThan(hourMs)
  },
)

/** The simulator of the test mode, and until the node has seen it. */
async function setOffline({ app }: ClusterNode, isOffline: boolean): Promise<void> {
  const { writer, read } = app.storage
  await writer.write(async (tx) => {
    const settings = JSON.stringify({ offline: String(isOffline), delay_ms: '0' })
    await tx
      .updateTable('devices')
      .set((is) => ({ settings, updated_at: is('updated_at', '+', 1) }))
      .where('mode', '=', 'test')
      .execute()
    await touchDirectory(tx)
  })
  const status = async () =>
    (await read.selectFrom('device_reports').select('status').executeTakeFirst())?.status
  await eventually(status, (seen) => expect(seen).toBe(isOffline ? 'offline' : 'online'), 20_000)
}

/** As if it had waited for so long: its validity ended a second ago, by the time of the database. */
async function endValidity({ app }: ClusterNode, messageId: string): Promise<void> {
  await app.storage.writer.write(async (tx) => {
    const endedMs = (await databaseTime(tx, systemClock)) - 1_000
    await tx.updateTable('messages').set({ expires_at: endedMs }).where('id', '=', messageId).execute()
    await tx.updateTable('queue').set({ expires_at: endedMs }).where('message_id', '=', messageId).execute()
    await tx.updateTable('queue_totals').set({ next_expiry_at: endedMs }).execute()
  })
}
