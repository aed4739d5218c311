import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { mintPhoneToken } from '../../src/devices/phone-tokens.ts'
import { systemClock } from '../../src/clock.ts'
import { createIds } from '../../src/ids.ts'
import { createDeviceSecretBox } from '../../src/devices/secret-box.ts'
import { loadInstanceSecret } from '../../src/instance-secret.ts'
import { type Cluster, type ClusterNode, openCluster } from './cluster.ts'

/** An app of one account, which may ask any node. */
async function openPhone({ app, config }: ClusterNode, accountId: string) {
  const ids = createIds({ now: systemClock.now })
  const secretBox = createDeviceSecretBox(await loadInstanceSecret(config))
  const deps = { ids, nowMs: systemClock.now(), secretBox, randomBytes }
  const { token } = await app.storage.writer.write((tx) =>
    mintPhoneToken(tx, deps, { accountId, mode: 'live', actor: 'test' }),
  )
  let deviceToken = token
  const ask = async (node: ClusterNode, method: string, path: string, json?: object): Promise<Response> =>
    fetch(`${node.url}/mobile/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json', 'user-agent': 'me.capcom.smsgateway/1.68.0' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    }) // prettier-ignore
  return {
    ask,
    async register(node: ClusterNode): Promise<void> {
      const simCards = [{ slotIndex: 0, simNumber: 1, phoneNumber: '********1234', carrierName: '**elco', iccid: '****0001' }] // prettier-ignore
      const answer = await ask(node, 'POST', '/device', { name: 'samsung/a12', simCards })
      expect(answer.status).toBe(201)
      deviceToken = ((await answer.json()) as { token: string }).token
    },
    /** What its event stream has said so far. */
    async listen(node: ClusterNode): Promise<() => string> {
      const answer = await ask(node, 'GET', '/events')
      expect(answer.status).toBe(200)
      const reader = answer.body!.getReader()
      let said = ''
      const reading = (async () => {
        for (;;) {
          const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
          if (done) return
          said += Buffer.from(value ?? []).toString()
        }
      })()
      onTestFinished(async () => {
        await reader.cancel().catch(() => undefined)
        await reading
      })
      return () => said
    },
  }
}

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
    south.app.storage.read.selectFrom('device_reports as r').innerJoin('devices as d', 'd.id', 'r.device_id').select(['r.status', 'r.told_by', 'r.reported_at']).where('d.kind', '=', 'android').executeTakeFirst() // prettier-ignore
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
        { timeout: 30_000, interval: 2_000 },
      ) // prettier-ignore
      .toContain('MessageEnqueued')
    const given = await phone.ask(south, 'GET', '/message')
    expect(given.status).toBe(200)
    expect(JSON.stringify(await given.json())).toContain('over any node')

    // It was heard by the other node a moment ago; where its stream is counts for more, at each report of either.
    const { reported_at: before } = (await reports())!
    const next = async () => ((await reports())?.reported_at ?? 0) - before
    await expect.poll(next, { timeout: 40_000, interval: 250 }).toBeGreaterThan(15_000)
    expect(await reports()).toMatchObject({ status: 'online', told_by: north.app.epoch.epoch })
  },
)
