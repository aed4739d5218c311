import { join } from 'node:path'
import { afterAll, expect, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { startApp, type TestApp } from '../harness.ts'
import { type HouseServer, openHouseServer } from '../house-server.ts'
import { type PeerProcess, startPeerProcess } from '../peers/peer-process.ts'
import type { Submitted } from '../peers/provider-peer.ts'
import { cli, cliJson } from '../run-command.ts'

interface Message {
  to: string
  status: string
  text: string | null
  attempts: number
  parts: number
  cost: { charged: number; state: string }
  error: { code: string; network_code: string | null } | null
}

type RunningServer = Pick<HouseServer, 'url' | 'dataFolder'>

/** An account of a running server, which has one device at a provider. */
export interface AccountAtProvider {
  server: RunningServer
  accountId: string
  liveKey: string
  deviceId: string
  send(text: string, to: string | readonly string[]): Promise<{ status: number; body: string }>
  set(...options: string[]): Promise<void>
  status(): Promise<{ status: string; reasons: string[]; last_error: string | null }>
  messages(direction?: 'inbound' | 'outbound'): Promise<Message[]>
}

/** One whose provider another process plays, which speaks as Vonage does. */
export interface ProviderHouse extends AccountAtProvider {
  peer: PeerProcess<{ port: number }>
  submitted(): Promise<Submitted[]>
  /** Lets the provider call about everything that it has to say. */
  deliver(): Promise<number>
}

/** Of one file: an account is all that each of its tests needs for itself. */
const shared: { peer: Promise<PeerProcess<{ port: number }>> | null; app: Promise<TestApp> | null } = { peer: null, app: null } // prettier-ignore
/** Ends behind a file what its tests share. */
export const shareProviderHouse = (): void =>
  afterAll(async () => {
    const { peer, app } = shared
    Object.assign(shared, { peer: null, app: null })
    await (await peer)?.kill()
    await (await app)?.stop()
  })

/** Providers can call it, and are on this machine. */
async function startSharedApp(): Promise<TestApp> {
  const port = String(await freePort())
  return startApp({ ...allowed, ONESIXTY_PORT: port, ONESIXTY_PUBLIC_URL: `http://127.0.0.1:${port}` })
}

const allowed = { ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' }

/** A server in a process of its own, where it can be killed and its log be read. Providers cannot call it. */
export const openOwnServer = (): Promise<HouseServer> => openHouseServer({ ownProcess: true, env: allowed })

/** Opens one for the running test; the provider is as after a start. */
export async function openProviderHouse({
  settings = [],
  server,
}: { settings?: readonly string[]; server?: RunningServer } = {}): Promise<ProviderHouse> {
  shared.peer ??= startPeerProcess(join(import.meta.dirname, '../peers/provider-peer.ts'), [])
  const peer = await shared.peer
  await peer.call('renew')
  onTestFinished(() => peer.call('set', { delayMs: 0 }))
  const given = ['provider=vonage', 'api_key=abcd1234', 'default_sender=Acme', `base=http://127.0.0.1:${peer.ready.port}`]
  const account = await openAccountAtProvider({ settings: [...given, ...settings], secret: 'api_secret', server })
  return { ...account, peer, submitted: () => peer.call('submitted'), deliver: () => peer.call('deliver', 3) }
} // prettier-ignore

let accounts = 0

/** Opens an account whose device has these settings. */
export async function openAccountAtProvider({
  settings,
  secret,
  more = [],
  server: given,
  secretValue = 'canary-7f3a91',
}: {
  settings: readonly string[]
  secret: string
  /** More options of the command that adds the device. */
  more?: readonly string[]
  /** Default: one in the process of the test, which providers can call. */
  server?: RunningServer | undefined
  secretValue?: string
}): Promise<AccountAtProvider> {
  const server = given ?? (await (shared.app ??= startSharedApp()))
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', 'Ada', '--email', `ada${(accounts += 1)}@example.org`],
    dataFolder,
  )
  const accountId = made.account_id
  await cliJson(['account', 'grant', '--account', accountId, '--sms', '1000', '--note', 'test'], dataFolder)
  const added = await cli(
    ['device', 'add', 'http', '--account', accountId, '--name', 'Provider', '--secret-stdin', secret, ...more, ...settings.flatMap((pair) => ['--set', pair]), '--json'],
    { dataFolder, stdin: `${secretValue}\n` },
  )
  expect(added, added.stderr).toMatchObject({ code: 0 })
  const { id: deviceId } = JSON.parse(added.stdout) as { id: string }
  const headers = { authorization: `Bearer ${made.live_key}`, 'content-type': 'application/json' }
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${server.url}/api/v1/${path}`, { headers })).json()) as T
  const account: AccountAtProvider = {
    server,
    accountId,
    liveKey: made.live_key,
    deviceId,
    async send(text, to) {
      const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body: JSON.stringify({ to, text }) })
      return { status: answer.status, body: await answer.text() }
    },
    async set(...options) {
      await cliJson(['device', 'set', deviceId, ...options], dataFolder)
    },
    async status() {
      const { devices } = await get<{ devices: ({ id: string } & Awaited<ReturnType<AccountAtProvider['status']>>)[] }>('status')
      return devices.find(({ id }) => id === deviceId) ?? { status: 'unknown', reasons: [], last_error: null }
    },
    messages: async (direction = 'outbound') =>
      (await get<{ data: Message[] }>(`history?direction=${direction}&limit=100`)).data,
  }
  await eventually(account.status, (seen) => expect(seen.status).not.toBe('unknown'), 15_000)
  return account
} // prettier-ignore

/** Settles when the newest message of the account has this status, and gives it. */
export const hasStatus = (
  account: AccountAtProvider,
  status: string,
  withinMs = 15_000,
): Promise<Message[]> =>
  eventually(
    () => account.messages(),
    ([message]) => expect(message?.status).toBe(status),
    withinMs,
  )
