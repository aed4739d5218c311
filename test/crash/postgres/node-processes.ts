import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect } from 'vitest'
import { type ApiClient, createApiClient } from '../../api-client.ts'
import { eventually } from '../../eventually.ts'
import { freePort } from '../../free-port.ts'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../../harness.ts'
import { cliJson } from '../../run-command.ts'
import { type MessagePeer, startMessagePeer } from '../../peers/message-peer.ts'
import { testTimes } from '../../quick-times.ts'
import { databaseSettings, removeTestFolder } from '../../test-database.ts'
import { expectSums } from '../../messages/expect-sums.ts'
import { openFolder } from '../../open-folder.ts'
import type { CrashHouse } from '../crash-house.ts'
import { createLoad, type Load } from '../load.ts'

/** One server of several, in a process of its own that may be killed or stopped. */
export interface NodeProcess {
  name: string
  port: number
  process: ServerProcess
  /** Everything that it wrote at its starts before this one. */
  earlierOutput: string
}

/** Several servers of one PostgreSQL, and their peer in another process: what `expectNothingLostNorDoubled` looks at. */
export interface NodesHouse extends Pick<
  CrashHouse,
  'peer' | 'client' | 'liveKey' | 'granted' | 'expectSound'
> {
  nodes: readonly NodeProcess[]
  load(node: NodeProcess, options: { perSecond: number; name: string; isPatient?: boolean }): Load
  /** Starts a killed one again, in its folder and on its port. */
  restart(node: NodeProcess): Promise<void>
  onesixty<T>(...args: string[]): Promise<T>
  rows<T extends object>(statement: string, values?: readonly unknown[]): Promise<T[]>
  /** Settles when nothing waits, nothing is in flight and no receipt is waited for. */
  drained(withinMs: number): Promise<void>
  close(): Promise<void>
}

export async function openNodesHouse(options: {
  names: readonly string[]
  devices: number
  settings: Record<string, string>
}): Promise<NodesHouse> {
  const dataFolder = await temporaryFolder()
  const peer = await startMessagePeer(join(dataFolder, 'peer.ndjson'))
  const nodes: NodeProcess[] = []
  const folders = new Map<string, string>()
  const start = async (name: string, port: number, isFirst = false): Promise<ServerProcess> => {
    const folder = folders.get(name) ?? (await mkdtemp(join(tmpdir(), 'onesixty-node-')))
    folders.set(name, folder)
    const env = {
      ...databaseSettings(dataFolder),
      ONESIXTY_DATA: folder,
      ONESIXTY_NODE: name,
      ONESIXTY_LOG_LEVEL: 'warn',
    }
    return startServerProcess({
      dataFolder: folder,
      port,
      env,
      times: testTimes,
      isFirst,
      readyWithinMs: 60_000,
    })
  }
  // All at once, so that no two are given the same.
  const ports = await Promise.all(options.names.map(freePort))
  const startNode = async (i: number): Promise<void> => {
    const [name, port] = [options.names[i] as string, ports[i] as number]
    nodes[i] = { name, port, process: await start(name, port, i === 0), earlierOutput: '' }
  }
  await startNode(0)
  await Promise.all(options.names.slice(1).map((_, i) => startNode(i + 1)))
  const [first] = nodes as [NodeProcess]
  const { accountId, liveKey } = first.process.first!
  const granted = await openAccountToAll(dataFolder, accountId, peer, options)
  const database = new Client({ connectionString: databaseSettings(dataFolder)['DATABASE_URL'] ?? '' })
  await database.connect()
  const client: ApiClient = createApiClient(first.process.url)
  const loads: Load[] = []
  const house: NodesHouse = {
    peer,
    client,
    liveKey,
    granted,
    nodes,
    load(node, asked) {
      const load = createLoad({ url: node.process.url, key: liveKey, ...asked })
      loads.push(load)
      return load
    },
    async restart(node) {
      node.earlierOutput += node.process.output()
      node.process = await start(node.name, node.port)
    },
    onesixty: (...args) => cliJson(args, dataFolder),
    rows: async <T extends object>(statement: string, values: readonly unknown[] = []) =>
      (await database.query(statement, [...values])).rows as T[],
    drained: (withinMs) => drained(house, withinMs),
    expectSound: () => expectSoundDatabase(dataFolder),
    async close() {
      for (const load of loads) load.close()
      client.close()
      for (const { process: server } of nodes) {
        // It ends a process that stands still, too.
        await server.kill('SIGKILL')
      }
      await database.end()
      await peer.stop()
      for (const folder of folders.values()) await rm(folder, { recursive: true, force: true })
      await removeTestFolder(dataFolder)
    },
  }
  return house
}

const sms = 1_000_000

async function openAccountToAll(
  dataFolder: string,
  accountId: string,
  peer: MessagePeer,
  { devices, settings }: { devices: number; settings: Record<string, string> },
): Promise<number> {
  const run = (...args: string[]): Promise<unknown> => cliJson(args, dataFolder)
  await run('account', 'grant', '--account', accountId, '--sms', String(sms), '--note', 'For the proof')
  await run('account', 'limit', '--account', accountId, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0') // prettier-ignore
  const pairs = Object.entries({ ...settings, peer_url: peer.url }).flatMap(([name, value]) => [
    '--set',
    `${name}=${value}`,
  ])
  for (let i = 0; i < devices; i++)
    await run('device', 'add', 'simulator', '--account', accountId, '--name', `Peer ${i}`, ...pairs)
  return sms + 10
}

async function expectSoundDatabase(dataFolder: string): Promise<void> {
  const storage = await openFolder(dataFolder, Date.now())
  await expectSums(storage.read, Date.now())
  await storage.close()
}

async function drained({ client, liveKey }: NodesHouse, withinMs: number): Promise<void> {
  const reserved = async (): Promise<number> => (await client.balance(liveKey)).reserved
  await eventually(reserved, (parts) => expect(parts).toBe(0), withinMs)
  const unfinished = async () => (await client.history(liveKey, 'status=sent')).filter(({ final }) => !final)
  await eventually(unfinished, (left) => expect(left).toEqual([]), withinMs)
}
