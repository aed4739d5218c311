import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FakePhones, startFakePhones } from '../test/peers/fake-phone-control.ts'
import { type BenchFolder, databaseOf } from './server-process.ts'

const maxWaitMs = 60_000
const restMs = 2_000

/** Phones of one account in processes of their own, connected to a server. */
export class PhoneCrowds {
  readonly #crowds: FakePhones[] = []
  readonly #baseUrl: string
  readonly #privateToken: string

  constructor({ port, privateToken }: { port: number; privateToken: string }) {
    this.#baseUrl = `http://127.0.0.1:${port}/mobile/v1`
    this.#privateToken = privateToken
  }

  /** Adds so many, which start within that time, and waits until the event stream of each is open. */
  async connect(count: number, startOverMs: number): Promise<void> {
    // Each crowd has other SIMs: two phones that look alike would be one device.
    const iccid = String(8_949_000_000n + BigInt(this.#crowds.length * 10))
    const simCards = [{ slotIndex: 0, phoneNumber: '+4915550001234', carrierName: 'Telco', iccid }]
    const [baseUrl, privateToken] = [this.#baseUrl, this.#privateToken]
    const crowd = await startFakePhones({ baseUrl, privateToken, count, startOverMs, simCards })
    this.#crowds.push(crowd)
    await until('the phones to connect', () => crowd.all.streamLog('opened').length >= count)
  }

  /** When each phone first heard of a message since, as wall-clock times in milliseconds. */
  firstWakes(sinceMs: number): number[] {
    return this.#crowds.flatMap((crowd) => {
      const woken = crowd.all
        .streamLog('event')
        .filter(({ event, at }) => event === 'MessageEnqueued' && at >= sinceMs)
      return [...Map.groupBy(woken, ({ phone }) => phone).values()].map((all) =>
        Math.min(...all.map(({ at }) => at)),
      )
    })
  }

  async stop(): Promise<void> {
    for (const crowd of this.#crowds) await crowd.stop()
  }
}

/** An account without limits, and what its phones register with. */
export async function makePhoneAccount(
  folder: BenchFolder,
): Promise<{ liveKey: string; privateToken: string }> {
  const made = await folder.cli('account', 'create', '--name', 'Bench', '--email', 'bench@example.org')
  const account = ['--account', made['account_id'] as string]
  await folder.cli('account', 'limit', ...account, '--send-per-minute', '0', '--queue', '0')
  await folder.cli('account', 'grant', ...account, '--sms', '1000000', '--note', 'bench')
  const { private_token: privateToken } = await folder.cli('device', 'connect', 'android', ...account)
  return { liveKey: made['live_key'] as string, privateToken: privateToken as string }
}

interface Sending {
  port: number
  liveKey: string
  folder: BenchFolder
  crowds: PhoneCrowds
  count: number
}

/** One message for each phone. Wakes are counted from the answer to the first send, and by the first event of each phone. */
export async function sendToAll({
  port,
  liveKey,
  folder,
  crowds,
  count,
}: Sending): Promise<{ wakes: number[]; pulledMs: number }> {
  const database = new DatabaseSync(databaseOf(folder), { readOnly: true, timeout: 5_000 })
  const offers = database.prepare('select count(*) as given from phone_offers')
  const given = (): number => Number(offers.get()?.['given'])
  try {
    const before = given()
    const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' }
    const sentAt = Date.now()
    let acceptedAt: number | undefined
    for (let at = 0; at < count; at += 100) {
      const to = Array.from(
        { length: Math.min(100, count - at) },
        (_, i) => `+49151${String(at + i).padStart(8, '0')}`,
      )
      const body = JSON.stringify({ to, text: 'Your code is 123456' })
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/send`, { method: 'POST', headers, body })
      acceptedAt ??= Date.now()
      if (answer.status !== 202)
        throw new Error(`A send was answered ${answer.status}: ${await answer.text()}`)
    }
    await until('the phones to fetch', () => given() === before + count)
    const pulledMs = Date.now() - sentAt
    await sleep(restMs)
    const wakes = crowds.firstWakes(sentAt).map((at) => Math.max(0, at - (acceptedAt ?? sentAt)))
    return { wakes, pulledMs }
  } finally {
    database.close()
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + maxWaitMs; performance.now() < end; await sleep(20)) if (isSo()) return
  throw new Error(`The bench waited in vain for ${what}.`)
}
