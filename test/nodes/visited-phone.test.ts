import { expect, test } from 'vitest'
import { cli } from '../run-command.ts'
import { startLocalPhone } from '../phones/local-phone.ts'
import { openCluster } from './cluster.ts'

test(
  'one node visits a phone, whichever accepts a message, and another one takes over when it stops',
  { timeout: 180_000 },
  async () => {
    const cluster = await openCluster()
    const env = { ONESIXTY_POLL_INTERVAL_MS: '500' }
    const nodes = [await cluster.start(env), await cluster.start(env)]
    const { accountId, liveKey } = await cluster.openAccount('Ada')
    const phone = await startLocalPhone()
    const args = ['device', 'connect', 'android', '--local', phone.address, '--account', accountId]
    const made = await cli([...args, '--password-stdin', '--json'], {
      dataFolder: nodes[0]!.dataFolder,
      stdin: `${phone.password}\n`,
      env: { ...(await cluster.settings()), ONESIXTY_DATA: nodes[0]!.dataFolder },
    })
    const { id: deviceId } = JSON.parse(made.stdout) as { id: string }
    const owner = async (): Promise<string | null> =>
      (
        await nodes[1]!.app.storage.read
          .selectFrom('devices')
          .select('lease_owner')
          .where('id', '=', deviceId)
          .executeTakeFirstOrThrow()
      ).lease_owner
    await expect.poll(owner, { timeout: 30_000 }).not.toBeNull()
    const radio = () => phone.phones.all.radioLog().map(({ to }) => to)
    const to = ['+4915112345671', '+4915112345672']
    for (const [i, node] of nodes.entries())
      await expect
        .poll(async () => (await node.client.send(liveKey, { to: to[i], text: 'Hi' })).status, {
          timeout: 30_000,
        })
        .toBe(202)
    await expect.poll(() => radio().toSorted(), { timeout: 30_000 }).toEqual(to)

    const first = await owner()
    await nodes[0]!.stop()
    const last = '+4915112345673'
    await expect
      .poll(async () => (await nodes[1]!.client.send(liveKey, { to: last, text: 'Hi' })).status, {
        timeout: 60_000,
      })
      .toBe(202)
    await expect.poll(() => radio().toSorted(), { timeout: 60_000 }).toEqual([...to, last])
    expect([first, await owner()].every((name) => name !== null)).toBe(true)
  },
)
