import { expect, test } from 'vitest'
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts'
import { openPhone } from './phone.ts'
import { testTimes } from '../quick-times.ts'

async function twoNodes(): Promise<{ cluster: Cluster; north: ClusterNode; south: ClusterNode }> {
  const cluster = await openCluster()
  const env = { ONESIXTY_POLL_INTERVAL_MS: '600000' }
  return { cluster, north: await cluster.start(env), south: await cluster.start(env) }
}

test(
  'a phone that holds its stream on one node hears of what another accepts, and may fetch it from either',
  { timeout: 120_000 },
  async () => {
    const { cluster, north, south } = await twoNodes()
    const { accountId, liveKey } = await cluster.openAccount('Ada')
    const phone = await openPhone(north, accountId)
    await phone.register(north)
    const said = await phone.listen(north)
    const reports = async () =>
      south.app.storage.read
        .selectFrom('device_reports as r')
        .innerJoin('devices as d', 'd.id', 'r.device_id')
        .select(['r.status', 'r.told_by', 'r.reported_at'])
        .where('d.kind', '=', 'android')
        .executeTakeFirst()
    await expect
      .poll(reports, { timeout: 20_000 })
      .toMatchObject({ status: 'online', told_by: north.app.epoch.epoch })

    await expect
      .poll(
        async () => {
          const { status } = await south.client.send(liveKey, { to: '+4915112345678', text: 'over any node' })
          expect([202, 402, 422]).toContain(status)
          return said()
        },
        { timeout: 30_000, interval: 250 },
      )
      .toContain('MessageEnqueued')
    const given = await phone.ask(south, 'GET', '/message')
    expect(given.status).toBe(200)
    expect(JSON.stringify(await given.json())).toContain('over any node')

    // It was heard by the other node a moment ago; where its stream is counts for more, at each report of either.
    const { reported_at: before } = (await reports())!
    const next = async () => ((await reports())?.reported_at ?? 0) - before
    await expect
      .poll(next, { timeout: 40_000, interval: 250 })
      .toBeGreaterThan(1.5 * testTimes.deviceReportMs)
    expect(await reports()).toMatchObject({ status: 'online', told_by: north.app.epoch.epoch })
  },
)
