import { join } from 'node:path'
import { expect } from 'vitest'
import { type Times, usualTimes } from '../../src/runtime/times.ts'
import { type ApiClient, type ApiMessage, createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { cliProcess, type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { cliJson } from '../run-command.ts'
import { type MessagePeer, startMessagePeer } from '../peers/message-peer.ts'
import { removeTestFolder, useServer } from '../test-database.ts'
import { createLoad, type Load } from './load.ts'
import { faultsOf, usedBy } from './sums.ts'

/** The program in a process that may be killed, its peer in another, and an account whose only device is a simulator with that peer. */
export interface CrashHouse {
  server: ServerProcess
  peer: MessagePeer
  client: ApiClient
  dataFolder: string
  accountId: string
  liveKey: string
  granted: number
  load(options: {
    perSecond: number
    name?: string
    onUnknown?: 'stop' | 'resend_once'
    isPatient?: boolean
    isScheduled?: (n: number) => boolean
    validitySeconds?: number
  }): Load
  /** Starts the server again on its folder and port. Gives how long it took until it was ready. */
  restart(): Promise<{ tookMs: number }>
  onesixty<T>(...args: string[]): Promise<T>
  countOf(status: string): Promise<number>
  /** Settles when nothing waits, nothing is in flight and no receipt is waited for. */
  drained(withinMs?: number): Promise<void>
  /** Every sum agrees, by the word of the doctor. */
  expectSound(): Promise<void>
  close(): Promise<void>
}

export async function openCrashHouse(
  /** Of the device. */
  settings: Record<string, string>,
  given: {
    /** Of the server. */
    env?: Record<string, string>
    /** Of the server; those of the program when left out. */
    times?: Times
    postgresUrl?: string
    /** Where the peer keeps its log; beside the data when left out. */
    peerFolder?: string
  } = {},
): Promise<CrashHouse> {
  const { env = {}, times = usualTimes, postgresUrl, peerFolder } = given
  const dataFolder = await temporaryFolder()
  if (postgresUrl !== undefined) useServer(dataFolder, postgresUrl)
  const peer = await startMessagePeer(join(peerFolder ?? dataFolder, 'peer.ndjson'))
  const port = await freePort()
  const start = (isFirst: boolean) =>
    startServerProcess({ dataFolder, port, times, env: { ONESIXTY_LOG_LEVEL: 'warn', ...env }, isFirst })
  const server = await start(true)
  const { accountId, liveKey } = server.first!
  const onesixty = <T>(...args: string[]): Promise<T> => cliJson<T>(args, dataFolder, env)
  const granted = 1_000_000
  await onesixty(
    'account',
    'grant',
    '--account',
    accountId,
    '--sms',
    String(granted),
    '--note',
    'For the proof',
  )
  await onesixty('account', 'limit', '--account', accountId, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0') // prettier-ignore
  const pairs = Object.entries({ ...settings, peer_url: peer.url }).flatMap(([name, value]) => [
    '--set',
    `${name}=${value}`,
  ])
  await onesixty('device', 'add', 'simulator', '--account', accountId, '--name', 'Peer', ...pairs)
  const loads: Load[] = []
  const house: CrashHouse = {
    server,
    peer,
    client: createApiClient(server.url),
    dataFolder,
    accountId,
    liveKey,
    granted: granted + 10,
    load(options) {
      const load = createLoad({ url: server.url, key: liveKey, ...options })
      loads.push(load)
      return load
    },
    async restart() {
      const startedMs = performance.now()
      house.client.close()
      house.server = await start(false)
      house.client = createApiClient(server.url)
      return { tookMs: performance.now() - startedMs }
    },
    onesixty,
    countOf: async (status) => (await house.client.history(liveKey, `status=${status}`)).length,
    async drained(withinMs = 20_000) {
      const reserved = async () => (await house.client.balance(liveKey)).reserved
      await eventually(reserved, (parts) => expect(parts).toBe(0), withinMs)
      const unfinished = async () =>
        (await house.client.history(liveKey, 'status=sent')).filter(({ final }) => !final)
      await eventually(unfinished, (left) => expect(left).toEqual([]), withinMs)
    },
    expectSound: () => expectSound(house),
    async close() {
      for (const load of loads) load.close()
      house.client.close()
      await house.server.kill('SIGKILL')
      await peer.stop()
      await removeTestFolder(dataFolder)
    },
  }
  await eventually(
    () => house.client.send(liveKey, { to: '+4915112345678', text: 'dry', dry_run: true }),
    ({ status }) => expect(status).toBe(200),
  )
  return house
}

/**
 * Everything that must hold once all is quiet, by the word of the client and of the peer: nothing accepted is lost, nothing stored or handed
 * over twice, what is delivered was handed over, and every SMS is accounted for. `wasLate` names those of which the word came after they were given up.
 */
export async function expectNothingLostNorDoubled(
  house: Pick<CrashHouse, 'client' | 'liveKey' | 'peer' | 'granted' | 'expectSound'>,
  loads: readonly Pick<Load, 'accepted'>[],
  wasLate: (message: ApiMessage) => boolean = () => false,
): Promise<ApiMessage[]> {
  const messages = await house.client.history(house.liveKey)
  const faults = faultsOf({ messages, loads, records: house.peer.records(), wasLate })
  expect(faults, Object.keys(faults).join(' and ')).toEqual({})
  const used = usedBy(messages)
  const { granted } = house
  expect(await house.client.balance(house.liveKey)).toMatchObject({
    granted,
    used,
    reserved: 0,
    available: granted - used,
  })
  await house.expectSound()
  return messages
}

export async function expectSound({ dataFolder }: Pick<CrashHouse, 'dataFolder'>): Promise<void> {
  const { stdout, stderr } = await cliProcess(['doctor', '--json'], { dataFolder })
  const found = JSON.parse(stdout) as { ok: boolean; checks: { ok: boolean }[] }
  expect(
    found.checks.filter(({ ok }) => !ok),
    stderr,
  ).toEqual([])
  expect(found.ok).toBe(true)
}
