import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import { type HouseServer, openHouseServer, type HouseServerOptions } from '../house-server.ts'
import { cli, cliJson } from '../run-command.ts'
import type { FakePhonesOptions } from '../peers/fake-phone-control.ts'
import { type LocalPhone, startLocalPhone } from './local-phone.ts'

export interface VisitedMessage {
  id: string
  to: string
  status: string
  direction: string
  error: { code: string } | null
  text: string | null
}

/** A running server that visits one phone of one account. */
export interface VisitHouse extends LocalPhone {
  server: HouseServer
  accountId: string
  deviceId: string
  send(to: string | readonly string[], more?: object): Promise<string[]>
  history(): Promise<VisitedMessage[]>
  device(): Promise<{ status: string; reasons: string[]; link: string; app_version: string | null }>
  /** Waits until every message that was sent has this status. */
  allAre(status: string, withinMs?: number): Promise<void>
}

/** Opens one for the running test; the phone is connected as a user connects it. */
export async function openVisitHouse({
  env,
  ownProcess,
  settings = {},
  ...knobs
}: HouseServerOptions & { settings?: Record<string, string> } & Omit<
    Partial<FakePhonesOptions>,
    'baseUrl'
  > = {}): Promise<VisitHouse> {
  const server = await openHouseServer({ env, ownProcess })
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(
    ['account', 'create', '--name', 'Ada', '--email', 'ada@example.org'],
    dataFolder,
  )
  const { account_id: accountId, live_key: liveKey } = made
  await cliJson(['account', 'grant', '--account', accountId, '--sms', '10000', '--note', 'test'], dataFolder)
  await cliJson(
    ['account', 'limit', '--account', accountId, '--send-per-minute', '0', '--read-per-minute', '0'],
    dataFolder,
  )
  const local = await startLocalPhone(knobs)
  const args = ['device', 'connect', 'android', '--local', local.address, '--account', accountId]
  const { stdout } = await cli([...args, '--password-stdin', '--json'], {
    dataFolder,
    stdin: `${local.password}\n`,
  })
  const { id: deviceId } = JSON.parse(stdout) as { id: string }
  const changed = { visit_ms: '200', visit_idle_s: '1', ...settings }
  const set = Object.entries(changed).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  await cliJson(['device', 'set', deviceId, '--no-pace', ...set], dataFolder)
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' }
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${server.url}/api/v1/${path}`, { headers })).json()) as T
  const house: VisitHouse = {
    ...local,
    server,
    accountId,
    deviceId,
    async send(to, more = {}) {
      const body = JSON.stringify({ to: [to].flat(), text: 'Your code is 123456', ...more })
      const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body })
      const said = (await answer.json()) as { messages?: { id: string }[] }
      expect(answer.status, JSON.stringify(said)).toBe(202)
      return (said.messages ?? []).map(({ id }) => id)
    },
    history: async () => (await get<{ data: VisitedMessage[] }>('history?limit=100')).data,
    async device() {
      const { devices } = await get<{
        devices: ({ id: string } & Awaited<ReturnType<VisitHouse['device']>>)[]
      }>('status')
      return devices.find(({ id }) => id === deviceId)!
    },
    async allAre(status, withinMs = 15_000) {
      await eventually(
        house.history,
        (all) => {
          const sent = all.filter(({ direction }) => direction !== 'inbound')
          expect(new Set(sent.map((message) => message.status))).toEqual(new Set([status]))
        },
        withinMs,
      )
    },
  }
  await eventually(
    house.device,
    (device) => expect(device).toMatchObject({ status: 'online', link: 'visit' }),
    15_000,
  )
  return house
}
