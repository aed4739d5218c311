import { expect, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { type HouseServer, type HouseServerOptions, openHouseServer } from '../house-server.ts'
import { cli, cliJson } from '../run-command.ts'
import { type SmscControl, type SmscOptions, startSmsc } from '../peers/smsc-control.ts'

/** A running server with one account whose device is a link to the foreign SMSC, through `port` when something stands between. */
export interface SmppHouse {
  server: HouseServer
  smsc: SmscControl
  accountId: string
  deviceId: string
  liveKey: string
  /** Sends one text to many numbers, a hundred a request; every request must be accepted. */
  send(text: string, numbers: readonly string[]): Promise<void>
  set(...pairs: string[]): Promise<void>
  /** The link of the house, or another device. */
  status(id?: string): Promise<DeviceStanding>
  /** How many messages stand in each state. */
  counts(): Promise<Record<string, number>>
  /** The newest hundred messages of one direction, as the API shows them. */
  history(direction: 'inbound' | 'outbound'): Promise<Record<string, unknown>[]>
}

/** A device as `/status` shows it. */
export interface DeviceStanding {
  status: string
  reasons: string[]
  last_error: string | null
}

interface Options extends HouseServerOptions {
  smsc?: SmscOptions
  /** Settings beside host, port, system_id and password. */
  settings?: readonly string[]
  sms?: number
  password?: string
  /** What becomes of the link; `online` without. */
  comesTo?: 'online' | 'offline'
  /** What the link connects to; the SMSC itself without. */
  through?: (smsc: SmscControl) => Promise<number>
}

/** Opens one for the running test. */
export async function openSmppHouse(options: Options = {}): Promise<SmppHouse> {
  const { smsc: smscOptions, settings = [], sms = 100_000, password = 'secret', comesTo = 'online', through } = options
  const smsc = await startSmsc(smscOptions)
  onTestFinished(() => smsc.stop())
  const port = through === undefined ? smsc.port : await through(smsc)
  const server = await openHouseServer(options)
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(['account', 'create', '--name', 'Ada', '--email', 'ada@example.org'], dataFolder)
  const accountId = made.account_id
  await cliJson(['account', 'grant', '--account', accountId, '--sms', String(sms), '--note', 'test'], dataFolder)
  await cliJson(['account', 'limit', '--account', accountId, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0'], dataFolder)
  const added = await cli(
    ['device', 'add', 'smpp', '--account', accountId, '--name', 'Carrier', '--host', smsc.host, '--port', String(port), '--system-id', 'esme',
      '--password-stdin', ...settings.flatMap((pair) => ['--set', pair]), '--json'],
    { dataFolder, stdin: `${password}\n` },
  )
  expect(added).toMatchObject({ code: 0 })
  const { id: deviceId } = JSON.parse(added.stdout) as { id: string }
  const headers = { authorization: `Bearer ${made.live_key}`, 'content-type': 'application/json' }
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${server.url}/api/v1/${path}`, { headers })
    const body = await answer.text()
    expect(answer.status, body).toBe(200)
    return JSON.parse(body) as T
  }
  const house: SmppHouse = {
    server,
    smsc,
    accountId,
    deviceId,
    liveKey: made.live_key,
    async send(text, numbers) {
      for (let at = 0; at < numbers.length; at += 100) {
        const body = JSON.stringify({ to: numbers.slice(at, at + 100), text, max_parts: 10 })
        const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body })
        expect(answer.status, await answer.text()).toBe(202)
      }
    },
    async set(...pairs) {
      await cliJson(['device', 'set', deviceId, ...pairs.flatMap((pair) => ['--set', pair])], dataFolder)
    },
    async status(asked = deviceId) {
      const { devices } = await get<{ devices: (DeviceStanding & { id: string })[] }>('status')
      return devices.find(({ id }) => id === asked) ?? { status: 'unknown', reasons: [], last_error: null }
    },
    async counts() {
      const counts: Record<string, number> = {}
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { data: { status: string }[]; next_cursor: string | null } = await get(
          `history?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        )
        for (const { status } of page.data) counts[status] = (counts[status] ?? 0) + 1
        cursor = page.next_cursor
      }
      return counts
    },
    history: async (direction) =>
      (await get<{ data: Record<string, unknown>[] }>(`history?direction=${direction}&limit=100`)).data,
  }
  await eventually(house.status, (seen) => expect(seen).toMatchObject({ status: comesTo }), 15_000)
  return house
} // prettier-ignore

/** `count` numbers that nobody else has. */
export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${String(first + i).padStart(8, '0')}`)
