import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FakePhones, startFakePhones } from '../test/peers/fake-phone-control.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median } from './figure.ts'
import { percentiles } from './percentiles.ts'
import { residentMegabytes } from './process-usage.ts'
import { type BenchFolder, databaseOf, makeFolder, startServer } from './server-process.ts'

/** One registers before the memory is read, so that what phones need once is loaded. */
const firstPhones = 1
const mostWaitMs = 60_000
const restMs = 2_000
/** Garbage of a thousand registrations is collected within that. */
const settleMs = 20_000

/** Row 11: a thousand phones: what they cost while they are connected, and how soon each is woken and has its message. */
export async function measurePhones(run: BenchRun): Promise<Figure[]> {
  const { phones: count } = run.lengths
  const folder = await makeFolder()
  const { liveKey, privateToken } = await makePhoneAccount(folder)
  const server = await startServer(folder)
  const baseUrl = `http://127.0.0.1:${server.port}/mobile/v1`
  const crowds: FakePhones[] = []
  const connect = async (phones: number, startOverMs: number): Promise<void> => {
    // The second crowd has other SIMs: two phones that look alike would be one device.
    const simCards = [{ slotIndex: 0, phoneNumber: '+4915550001234', carrierName: 'Telco', iccid: String(8_949_000_000n + BigInt(crowds.length * 10)) }] // prettier-ignore
    const crowd = await startFakePhones({ baseUrl, privateToken, count: phones, startOverMs, simCards })
    crowds.push(crowd)
    await until('the phones to connect', () => crowd.all.streamLog('opened').length >= phones)
  }
  try {
    await connect(firstPhones, 0)
    await sleep(restMs)
    const before = residentMegabytes(server.pid)
    await connect(count - firstPhones, count * 10)
    const more = (await restingMegabytes(server.pid)) - before
    run.say(`${count} phones connected: ${Math.round(more)} MB more than with one`)
    const { wakes, pulledMs } = await sendToAll({ port: server.port, liveKey, folder, crowds, count })
    const woken = percentiles(wakes)
    const facts = `${wakes.length} of ${count} woken, p50 ${Math.round(median(wakes))} ms`
    run.say(`${facts}, p99 ${woken.p99} ms; all fetched after ${Math.round(pulledMs)} ms`)
    const isComplete = wakes.length === count
    return [
      { row: 11, name: `memory with ${count.toLocaleString('en')} phones connected, above that with one`, value: `${Math.round(more)} MB`, bar: { kind: 'most', most: 100, is: more, unit: 'MB' } },
      { row: 11, name: `a message to each of ${count.toLocaleString('en')} phones: the first accepted → woken, p99`, value: `${woken.p99} ms`, bar: { kind: 'holds', holds: isComplete && woken.p99 <= 1_000, says: 'all, ≤ 1000 ms' }, facts },
      { row: 11, name: `a message to each of ${count.toLocaleString('en')} phones: the first accepted → all fetched`, value: `${Math.round(pulledMs)} ms`, bar: { kind: 'most', most: 5_000, is: pulledMs, unit: 'ms' } },
    ] // prettier-ignore
  } finally {
    for (const crowd of crowds) await crowd.stop()
    await server.stop()
    await folder.remove()
  }
}

async function makePhoneAccount(folder: BenchFolder): Promise<{ liveKey: string; privateToken: string }> {
  const made = await folder.cli('account', 'create', '--name', 'Bench', '--email', 'bench@example.org')
  const account = ['--account', made['account_id'] as string]
  await folder.cli('account', 'limit', ...account, '--send-per-minute', '0', '--queue', '0')
  await folder.cli('account', 'grant', ...account, '--sms', '1000000', '--note', 'bench')
  const { private_token: privateToken } = await folder.cli('device', 'connect', 'android', ...account)
  return { liveKey: made['live_key'] as string, privateToken: privateToken as string }
}

/** The middle of what is resident for some seconds, once the garbage of the registrations is collected. */
async function restingMegabytes(pid: number): Promise<number> {
  await sleep(settleMs)
  const samples: number[] = []
  for (let n = 0; n < 10; n++, await sleep(500)) samples.push(residentMegabytes(pid))
  return median(samples)
}

interface Sending {
  port: number
  liveKey: string
  folder: BenchFolder
  crowds: readonly FakePhones[]
  count: number
}

/** One message for each phone. Wakes are counted from the answer to the first send, and by the first event of each phone. */
async function sendToAll({ port, liveKey, folder, crowds, count }: Sending): Promise<{ wakes: number[]; pulledMs: number }> {
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' }
  const sentAt = Date.now()
  let acceptedAt: number | undefined
  for (let at = 0; at < count; at += 100) {
    const to = Array.from({ length: Math.min(100, count - at) }, (_, i) => `+49151${String(at + i).padStart(8, '0')}`)
    const body = JSON.stringify({ to, text: 'Your code is 123456' })
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/send`, { method: 'POST', headers, body })
    acceptedAt ??= Date.now()
    if (answer.status !== 202) throw new Error(`A send was answered ${answer.status}: ${await answer.text()}`)
  }
  const database = new DatabaseSync(databaseOf(folder), { readOnly: true, timeout: 5_000 })
  const given = database.prepare('select count(*) as given from phone_offers')
  try {
    await until('the phones to fetch', () => given.get()?.['given'] === count)
  } finally {
    database.close()
  }
  const pulledMs = Date.now() - sentAt
  await sleep(restMs)
  const wakes = crowds.flatMap((crowd) => {
    const woken = crowd.all.streamLog('event').filter(({ event, at }) => event === 'MessageEnqueued' && at >= sentAt)
    const first = [...Map.groupBy(woken, ({ phone }) => phone).values()].map((all) => Math.min(...all.map(({ at }) => at)))
    return first.map((at) => Math.max(0, at - (acceptedAt ?? sentAt)))
  })
  return { wakes, pulledMs }
} // prettier-ignore

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + mostWaitMs; performance.now() < end; await sleep(20))
    if (isSo()) return
  throw new Error(`The bench waited in vain for ${what}.`)
}
