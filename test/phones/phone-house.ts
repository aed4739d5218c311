import { expect, onTestFinished } from 'vitest'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { eventually } from '../eventually.ts'
import { type HouseServer, type HouseServerOptions, openHouseServer } from '../house-server.ts'
import { cli, cliJson } from '../run-command.ts'
import { withDatabase } from '../open-database.ts'
import { type FakePhones, type FakePhonesOptions, startFakePhones } from '../peers/fake-phone-control.ts'

/** One message as history shows it. */
export interface ShownMessage {
  id: string
  to: string
  status: string
  parts: number
  error: { code: string } | null
  device_id: string | null
  attempts: number
  content?: { text: string | null }
}

export interface ShownDevice {
  id: string
  kind: string
  status: string
  reasons: string[]
  link: string
  app_version: string | null
  battery: { percent: number; charging: boolean } | null
  sims: { slot: number; number: string | null; carrier: string | null }[]
  throughput: { parts_per_window: number; remaining: number } | null
}

/** A running server with one account and its fake phones, which have a process of their own. */
export interface PhoneHouse {
  server: HouseServer
  accountId: string
  liveKey: string
  privateToken: string
  baseUrl: string
  phones: FakePhones
  /** Sends one text to these numbers, a hundred a request; gives the ids. */
  send(numbers: readonly string[], more?: Record<string, unknown>): Promise<string[]>
  history(query?: string): Promise<ShownMessage[]>
  counts(): Promise<Record<string, number>>
  devices(): Promise<ShownDevice[]>
  /** Cancels a message as the operator does; gives what the command says. */
  cancel(messageId: string): Promise<unknown>
  /** How many messages phones have been given. */
  given(): Promise<number>
  /** More phones of the same account, in another process. */
  morePhones(options: Omit<FakePhonesOptions, 'baseUrl' | 'privateToken'>): Promise<FakePhones>
  /** Whether the books balance, by the doctor. */
  expectSums(): Promise<void>
  /** Lets phones send as fast as they can, from now on; what registers later has its pace. */
  liftPace(): Promise<void>
  /** Ends the server as a power cut would and starts it anew on the same port. */
  killAndRestart(): Promise<void>
}

interface Options extends Omit<Partial<FakePhonesOptions>, 'baseUrl' | 'privateToken'>, HouseServerOptions {
  sms?: number
  /** Waits until every phone is online. */
  awaitOnline?: boolean
}

/** Opens one for the running test. */
export async function openPhoneHouse({ sms = 100_000, env, ownProcess, flags, clock, awaitOnline = true, ...knobs }: Options = {}): Promise<PhoneHouse> {
  const server = await openHouseServer({ env, ownProcess, flags, clock })
  const { dataFolder } = server
  const made = await cliJson<{ account_id: string; live_key: string }>(['account', 'create', '--name', 'Ada', '--email', 'ada@example.org'], dataFolder)
  const { account_id: accountId, live_key: liveKey } = made
  await cliJson(['account', 'grant', '--account', accountId, '--sms', String(sms), '--note', 'test'], dataFolder)
  await cliJson(['account', 'limit', '--account', accountId, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0'], dataFolder)
  const { private_token: privateToken } = await cliJson<{ private_token: string }>(['device', 'connect', 'android', '--account', accountId], dataFolder)
  const baseUrl = `${server.url}/mobile/v1`
  const phones = await startFakePhones({ timeScale: 20, ...knobs, baseUrl, privateToken })
  onTestFinished(() => phones.stop())
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' }
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${server.url}/api/v1/${path}`, { headers })).json()) as T
  const house: PhoneHouse = {
    server, accountId, liveKey, privateToken, baseUrl, phones,
    async send(numbers, more = {}) {
      const ids: string[] = []
      for (let at = 0; at < numbers.length; at += 100) {
        const body = JSON.stringify({ to: numbers.slice(at, at + 100), text: 'Your code is 123456', ...more })
        const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body })
        const said = (await answer.json()) as { messages?: { id: string }[] }
        expect(answer.status, JSON.stringify(said)).toBe(202)
        ids.push(...(said.messages ?? []).map(({ id }) => id))
      }
      return ids
    },
    async history(query = '') {
      const all: ShownMessage[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { data: ShownMessage[]; next_cursor: string | null } = await get(
          cursor === '' ? `history?limit=100${query}` : `history?limit=100&cursor=${encodeURIComponent(cursor)}`,
        )
        all.push(...page.data)
        cursor = page.next_cursor
      }
      return all
    },
    async counts() {
      const counts: Record<string, number> = {}
      for (const { status } of await house.history()) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    devices: async () => (await get<{ devices: ShownDevice[] }>('status')).devices.filter(({ kind }) => kind === 'android'),
    async cancel(messageId) {
      const command = ['message', 'cancel', '--account', accountId, '--message', messageId, '--json']
      return JSON.parse((await cli(command, { dataFolder })).stdout)
    },
    given: () =>
      withDatabase(dataFolder, async (db) => {
        const offers = db.selectFrom('phone_offers').select(({ fn }) => fn.countAll<number>().as('given'))
        return (await offers.executeTakeFirstOrThrow()).given
      }),
    async morePhones(options) {
      const more = await startFakePhones({ timeScale: 20, ...options, baseUrl, privateToken })
      onTestFinished(() => more.stop())
      return more
    },
    // Phones came by the port that the server chose.
    expectSums: async () => expect(await cliJson(['doctor'], dataFolder, { ONESIXTY_PORT: new URL(server.url).port })).toMatchObject({ ok: true }),
    liftPace: () =>
      withDatabase(dataFolder, (db) =>
        db.transaction().execute(async (tx) => {
          await tx.updateTable('devices').set(({ eb }) => ({ parts_per_window: null, window_seconds: null, updated_at: eb('updated_at', '+', 1) })).execute()
          await touchDirectory(tx)
        }),
      ),
    async killAndRestart() {
      await server.process.kill('SIGKILL')
      await server.restart()
    },
  }
  const count = knobs.count ?? 1
  if (awaitOnline) {
    await eventually(house.devices, (devices) => {
      expect(devices).toHaveLength(Math.min(count, 100))
      expect(new Set(devices.map(({ status }) => status))).toEqual(new Set(['online']))
    }, 20_000)
  }
  return house
} // prettier-ignore

/** `count` numbers that nobody else has. */
export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${String(first + i).padStart(8, '0')}`)
