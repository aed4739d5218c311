import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import { type HouseServer, openHouseServer } from '../house-server.ts'
import { cli, cliJson } from '../run-command.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'

/** An account of a running server, with modems of its own. */
export interface ModemTenant {
  accountId: string
  liveKey: string
  /** Adds a modem; settles when it can send, unless it is to be left alone. */
  addModem(modem: AtModemControl, more?: { settings?: readonly string[]; pin?: string; awaits?: string | null }): Promise<string>
  send(text: string, to: string): Promise<void>
  /** Newest first, as the API shows them. */
  history(direction: 'inbound' | 'outbound'): Promise<Message[]>
  /** Waits for the newest message to have this status. */
  comesTo(status: string, withinMs?: number): Promise<Message>
  device(deviceId: string): Promise<{ status: string; reasons: string[]; last_error: string | null }>
  balance(): Promise<{ available: number; reserved: number }>
} // prettier-ignore

export interface Message {
  status: string
  text: string
  device_id: string | null
  error: { code: string; network_code: string | null } | null
  cost: { state: string }
}

/** Starts a server in a process of its own for the running test. */
export const openModemHouse = (env: Record<string, string> = {}): Promise<HouseServer> =>
  openHouseServer({ ownProcess: true, env })

/** Opens an account there, with 100 SMS. */
export async function openTenant(server: HouseServer, name: string): Promise<ModemTenant> {
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', name, '--email', `${name}@example.org`],
    dataFolder,
  )
  const accountId = made.account_id
  await cliJson(['account', 'grant', '--account', accountId, '--sms', '90', '--note', 'test'], dataFolder)
  const headers = { authorization: `Bearer ${made.live_key}`, 'content-type': 'application/json' }
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${server.url}/api/v1/${path}`, { headers })).json()) as T
  const device: ModemTenant['device'] = async (deviceId) => {
    const { devices } = await get<{ devices: ({ id: string } & Awaited<ReturnType<ModemTenant['device']>>)[] }>('status')
    return devices.find(({ id }) => id === deviceId) ?? { status: 'unknown', reasons: [], last_error: null }
  } // prettier-ignore
  const history: ModemTenant['history'] = async (direction) =>
    (await get<{ data: Message[] }>(`history?direction=${direction}&limit=100`)).data
  return {
    accountId,
    liveKey: made.live_key,
    device,
    history,
    async addModem(modem, { settings = [], pin, awaits = 'online' } = {}) {
      const set = [`port=${modem.address}`, 'pause_ms=0', ...settings].flatMap((pair) => ['--set', pair])
      const secret = pin === undefined ? [] : ['--secret-stdin', 'pin']
      const added = await cli(
        ['device', 'add', 'modem', '--account', accountId, '--name', 'Stick', ...set, ...secret, '--json'],
        { dataFolder, ...(pin !== undefined && { stdin: `${pin}\n` }) },
      )
      expect(added).toMatchObject({ code: 0 })
      const { id } = JSON.parse(added.stdout) as { id: string }
      if (awaits !== null)
        await eventually(() => device(id), (seen) => expect(seen.status).toBe(awaits), 20_000) // prettier-ignore
      return id
    },
    async send(text, to) {
      const body = JSON.stringify({ to, text, max_parts: 10 })
      const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body })
      expect(answer.status, await answer.text()).toBe(202)
    },
    async comesTo(status, withinMs = 15_000) {
      await eventually(async () => (await history('outbound'))[0]?.status, (seen) => expect(seen).toBe(status), withinMs) // prettier-ignore
      return (await history('outbound'))[0] as Message
    },
    balance: () => get('balance'),
  }
}

/** Kills a server as the kernel does, and starts it again. */
export async function killAndRestart(server: HouseServer): Promise<void> {
  await server.process.kill('SIGKILL')
  await server.restart()
}
