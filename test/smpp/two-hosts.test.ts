import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startSmsc } from '../peers/smsc-control.ts'
import { cli, cliJson } from '../run-command.ts'
import { numbersFrom, openSmppHouse } from './smpp-house.ts'

/** The text of a receipt: Appendix B of SMPP 3.4. */
const receiptOf = (id: string): string =>
  `id:${id} sub:001 dlvrd:001 submit date:2612010000 done date:2612010000 stat:DELIVRD err:000 text:Hi`

test('six messages over two hosts of one carrier are delivered, though each receipt comes over the other session', async () => {
  const house = await openSmppHouse({ smsc: { settings: { receipts: { when: 'never' } } } })
  const other = await startSmsc({ settings: { receipts: { when: 'never' } } })
  onTestFinished(() => other.stop())
  const { dataFolder } = house.server
  const added = await cli(
    ['device', 'add', 'smpp', '--account', house.accountId, '--name', 'Host 2', '--host', other.host, '--port', String(other.port), '--system-id', 'esme', '--password-stdin', '--json'],
    { dataFolder, stdin: 'secret\n' },
  ) // prettier-ignore
  const { id: secondId } = JSON.parse(added.stdout) as { id: string }
  const { id: groupId } = await cliJson<{ id: string }>(
    ['group', 'add', '--name', 'Carrier', '--shared-receipts'],
    dataFolder,
  )
  const hosts = [house.smsc, other]
  const links = [house.deviceId, secondId] as const
  for (const id of links) await cliJson(['device', 'set', id, '--group', groupId], dataFolder)
  // Each host carries three, so that both give the same IDs.
  for (const [i, numbers] of [numbersFrom(0, 3), numbersFrom(3, 3)].entries()) {
    const [carries, drains] = [links[i] as string, links[1 - i] as string]
    await cliJson(['device', 'set', carries, '--enable'], dataFolder)
    await cliJson(['device', 'set', drains, '--drain'], dataFolder)
    await eventually(
      () => Promise.all([carries, drains].map((id) => house.status(id))),
      (seen) => expect(seen).toMatchObject([{ reasons: [] }, { reasons: ['draining'] }]),
      15_000,
    )
    await house.send('Hi', numbers)
    await eventually(house.counts, (counts) => expect(counts).toEqual({ sent: 3 * (i + 1) }), 15_000)
  }
  expect(hosts.map((host) => host.submits().length)).toEqual([3, 3])
  for (const [i, host] of hosts.entries())
    for (const { messageId, destination, source } of (hosts[1 - i] as typeof host).submits())
      await host.deliver({
        fields: { esm_class: 4, source_addr_ton: 1, source_addr: destination, destination_addr: source, short_message: receiptOf(messageId as string) },
      }) // prettier-ignore
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 6 }), 15_000)
}, 90_000)
