import { expect, test } from 'vitest'
import { openCluster } from './cluster.ts'

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
