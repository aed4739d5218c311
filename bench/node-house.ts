import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { setAccountLimits } from '../src/accounts/core/accounts.ts'
import { loadKind } from '../src/cli/device/device-lookup.ts'
import { cliActor, createCommandContext, type CommandContext } from '../src/cli/core/command-context.ts'
import { readConfig } from '../src/config.ts'
import { createDeviceSecretBox } from '../src/runtime/secret-box.ts'
import { addDevice, type DeviceDeps, setDevice } from '../src/devices/core/device-store.ts'
import { loadInstanceSecret } from '../src/process/instance-secret.ts'
import { grantSms } from '../src/ledger/grants.ts'
import { openAccount } from '../src/app/open-account.ts'
import type { Tx } from '../src/storage/seam/dialect.ts'
import { type BenchFolder, makeFolder, type ServerProcess, startServer } from './server-process.ts'

export interface HouseOptions {
  databaseUrl: string
  nodes: number
  accounts: number
}

/** Several servers of one PostgreSQL, accounts without limits, and simulators of the operator, which begin offline. */
export interface NodeHouse {
  servers: readonly ServerProcess[]
  /** A live key of each account. */
  keys: readonly string[]
  query: BenchFolder['query']
  /** Takes all simulators off the line, or back; settles when the servers have seen it. */
  setOffline(isOffline: boolean): Promise<void>
}

/** The same for each number of servers, and shared evenly: a link belongs to one server at a time. */
const links = 8
/** Servers look for changes each second at the latest. */
const seenWithinMs = 1_200

export async function withNodeHouse<T>(
  options: HouseOptions,
  use: (house: NodeHouse) => Promise<T>,
): Promise<T> {
  const { databaseUrl, nodes } = options
  const folders = await Promise.all(
    Array.from({ length: nodes }, (_, i) => makeFolder(databaseUrl, { ONESIXTY_NODE: nodeName(i) })),
  )
  const [first] = folders as [BenchFolder]
  const tools = createCommandContext(
    { stdout: process.stdout, stderr: process.stderr, stdin: Readable.from([]), env: first.env },
    readConfig(first.env),
  )
  const servers: ServerProcess[] = []
  try {
    const { keys, deviceIds } = await furnish(tools, options)
    for (const folder of folders) servers.push(await startServer(folder))
    return await use({
      servers,
      keys,
      query: first.query,
      setOffline: (isOffline) => setOffline(tools, deviceIds, isOffline),
    })
  } finally {
    for (const server of servers) await server.stop()
    for (const folder of folders) await folder.remove()
  }
}

const nodeName = (i: number): string => `node-${i}`

/** In one transaction: hundreds of accounts by the command line would take minutes. */
const furnish = (
  tools: CommandContext,
  { accounts, nodes }: HouseOptions,
): Promise<{ keys: string[]; deviceIds: string[] }> =>
  tools.withStorage(
    async ({ writer }) => {
      const deps = await deviceDeps(tools)
      return writer.write(async (tx) => {
        const keys: string[] = []
        for (let i = 0; i < accounts; i++) keys.push(await openLimitless(tx, tools, i))
        const deviceIds: string[] = []
        for (let i = 0; i < links; i++) deviceIds.push(await addLink(tx, deps, { i, nodes }))
        return { keys, deviceIds }
      })
    },
    { create: true },
  )

async function openLimitless(tx: Tx, tools: CommandContext, i: number): Promise<string> {
  const deps = { ...tools, nowMs: tools.clock.now() }
  const wanted = { name: `Bench ${i}`, email: `bench-${i}@example.org`, actor: cliActor }
  const { accountId, liveKey } = await openAccount(tx, deps, wanted)
  const limits = { sendPerMinute: 0, readPerMinute: 0, queueLimit: 0 }
  await setAccountLimits(tx, deps, { accountId, limits, actor: cliActor })
  const grant = { mode: 'live', sms: 1_000_000_000, note: 'bench', kind: 'grant' } as const
  await grantSms(tx, deps, { accountId, ...grant, actor: cliActor })
  return liveKey
}

/** Leased to one of the servers before it starts: an owner takes its own at once, and nobody else may. */
async function addLink(
  tx: Tx,
  deps: DeviceDeps,
  { i, nodes }: { i: number; nodes: number },
): Promise<string> {
  const settings = { offline: 'true', delay_ms: '0' }
  const device = {
    accountId: null,
    mode: 'live',
    kind: 'simulator',
    name: `Bench ${i}`,
    settings,
    actor: cliActor,
  } as const
  const id = await addDevice(tx, deps, device)
  const lease = { lease_owner: nodeName(i % nodes), lease_until: deps.nowMs + 60_000 }
  await tx.updateTable('devices').set(lease).where('id', '=', id).execute()
  return id
}

async function setOffline(
  tools: CommandContext,
  deviceIds: readonly string[],
  isOffline: boolean,
): Promise<void> {
  await tools.withStorage(async ({ writer }) => {
    const deps = await deviceDeps(tools)
    await writer.write(async (tx) => {
      for (const deviceId of deviceIds)
        await setDevice(tx, deps, { deviceId, settings: { offline: String(isOffline) }, actor: cliActor })
    })
  })
  await sleep(seenWithinMs)
}

const deviceDeps = async (tools: CommandContext): Promise<DeviceDeps> => ({
  ids: tools.ids,
  nowMs: tools.clock.now(),
  secretBox: createDeviceSecretBox(await loadInstanceSecret(tools.config)),
  rules: await loadKind('simulator'),
})
