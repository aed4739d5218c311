import { expect, test } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'
import { addDevice } from '../../src/devices/core/device-store.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { type ClusterNode, openCluster } from './cluster.ts'
import { openPhone } from './phone.ts'

test(
  'a node accepts what a link of another node carries, and says nothing bad of that link',
  { timeout: 60_000 },
  async () => {
    const cluster = await openCluster()
    const north = await cluster.start({ ONESIXTY_NODE: 'north' })
    const south = await cluster.start({ ONESIXTY_NODE: 'south' })
    const { testKey } = await cluster.openAccount('Ada')
    await expect
      .poll(async () => (await south.client.balance(testKey)).available, { timeout: 10_000 })
      .toBeGreaterThan(0)
    const { status, body } = await south.client.send(testKey, { to: '+4915112345678', text: 'over the way' })
    expect(status).toBe(202)
    expect(body.warnings?.map(({ code }: { code: string }) => code) ?? []).not.toContain('no_device_online')
    const delivered = async () =>
      (await south.client.history(testKey, 'status=delivered')).map(({ id }) => id)
    await expect.poll(delivered, { timeout: 20_000 }).toEqual(body.messages.map(({ id }) => id))
    const attempts = await north.app.storage.read.selectFrom('attempts').select('fence').execute()
    expect(attempts).toEqual([{ fence: north.app.epoch.epoch }])
  },
)

/** A live link of an account that takes one message a day. */
async function addSlowLink({ app, config }: ClusterNode, accountId: string): Promise<string> {
  const secretBox = createDeviceSecretBox(await loadInstanceSecret(config))
  const ids = createIds({ now: systemClock.now })
  const deps = { ids, nowMs: systemClock.now(), secretBox, rules: simulatorKind }
  const pace = { partsPerWindow: 1, windowSeconds: 86_400 }
  const device = { accountId, mode: 'live', kind: 'simulator', name: 'Slow', pace, actor: 'test' } as const
  const id = await app.storage.writer.write((tx) => addDevice(tx, deps, device))
  const report = app.storage.read.selectFrom('device_reports').select('status').where('device_id', '=', id)
  const status = async () => (await report.executeTakeFirst())?.status
  await expect.poll(status, { timeout: 10_000 }).toBe('online')
  return id
}

test(
  "what waits for an account's own link on one node goes to no shared phone of another, unless that link drains",
  { timeout: 60_000 },
  async () => {
    const cluster = await openCluster()
    const north = await cluster.start()
    const { accountId, liveKey } = await cluster.openAccount('Ada')
    const linkId = await addSlowLink(north, accountId)
    const south = await cluster.start()
    const shared = await openPhone(south, null)
    await shared.register(south)
    for (const text of ['the first', 'the second'])
      expect((await north.client.send(liveKey, { to: '+4915112345678', text })).status).toBe(202)
    const attempts = async () =>
      (await north.app.storage.read.selectFrom('attempts').select('device_id').execute()).map(
        (row) => row.device_id,
      )
    await expect.poll(attempts, { timeout: 10_000 }).toEqual([linkId])
    expect(await shared.fetched(south)).toEqual([])
    await north.app.storage.writer.write(async (tx) => {
      await tx
        .updateTable('devices')
        .set({ draining: 1, updated_at: systemClock.now() })
        .where('id', '=', linkId)
        .execute()
      await touchDirectory(tx)
    })
    await expect.poll(() => shared.fetched(south), { timeout: 20_000 }).toEqual(['the second'])
  },
)
