import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { atFileEnd } from '../at-file-end.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
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

/** A running server with one account, which has one device at a provider. */
export interface AccountAtProvider {
  server: HouseServer
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

let shared: Promise<PeerProcess<{ port: number }>> | null = null
atFileEnd(async () => {
  const ending = shared
  shared = null
  await (await ending)?.kill()
})

/** Opens one for the running test; the provider is as after a start. */
export async function openProviderHouse({
  settings = [],
  ownProcess = false,
}: { settings?: readonly string[]; ownProcess?: boolean } = {}): Promise<ProviderHouse> {
  shared ??= startPeerProcess(join(import.meta.dirname, '../peers/provider-peer.ts'), [])
  const peer = await shared
  await peer.call('renew')
  onTestFinished(() => peer.call('set', { delayMs: 0 }))
  const given = ['provider=vonage', 'api_key=abcd1234', 'default_sender=Acme', `base=http://127.0.0.1:${peer.ready.port}`]
  const account = await openAccountAtProvider({ settings: [...given, ...settings], secret: 'api_secret', ownProcess })
  return { ...account, peer, submitted: () => peer.call('submitted'), deliver: () => peer.call('deliver', 3) }
} // prettier-ignore

/** Opens a server with an account whose device has these settings. */
export async function openAccountAtProvider({
  settings,
  secret,
  more = [],
  ownProcess = false,
  isPublic = true,
  secretValue = 'canary-7f3a91',
}: {
  settings: readonly string[]
  secret: string
  /** More options of the command that adds the device. */
  more?: readonly string[]
  ownProcess?: boolean
  /** Whether providers can call. Default: true. */
  isPublic?: boolean
  secretValue?: string
}): Promise<AccountAtProvider> {
  const port = String(await freePort())
  const server = await openHouseServer({
    ownProcess,
    env: {
      ...(!ownProcess && { ONESIXTY_PORT: port }),
      ...(!ownProcess && isPublic && { ONESIXTY_PUBLIC_URL: `http://127.0.0.1:${port}` }),
      ONESIXTY_PROVIDER_ALLOW: '127.0.0.1',
    },
  })
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', 'Ada', '--email', 'ada@example.org'],
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
