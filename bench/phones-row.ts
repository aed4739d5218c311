import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median } from './figure.ts'
import { percentiles } from './percentiles.ts'
import { makePhoneAccount, PhoneCrowds, sendToAll } from './phone-crowds.ts'
import { residentMegabytes } from './process-usage.ts'
import { makeFolder, startServer } from './server-process.ts'

/** One registers before the memory is read, so that what phones need once is loaded. */
const firstPhones = 1
const restMs = 2_000
/** Garbage of a thousand registrations is collected within that. */
const settleMs = 20_000

/** Row 11: a thousand phones: what they cost while they are connected, and how soon each is woken and has its message. */
export async function measurePhones(run: BenchRun): Promise<Figure[]> {
  const { phones: count } = run.lengths
  const folder = await makeFolder()
  const { liveKey, privateToken } = await makePhoneAccount(folder)
  const server = await startServer(folder)
  const crowds = new PhoneCrowds({ port: server.port, privateToken })
  try {
    await crowds.connect(firstPhones, 0)
    await sleep(restMs)
    const before = residentMegabytes(server.pid)
    await crowds.connect(count - firstPhones, count * 10)
    const more = (await restingMegabytes(server.pid)) - before
    run.say(`${count} phones connected: ${Math.round(more)} MB more than with one`)
    const { wakes, pulledMs } = await sendToAll({ port: server.port, liveKey, folder, crowds, count })
    const woken = percentiles(wakes)
    const facts = `${wakes.length} of ${count} woken, p50 ${Math.round(median(wakes))} ms`
    run.say(`${facts}, p99 ${woken.p99} ms; all fetched after ${Math.round(pulledMs)} ms`)
    const isComplete = wakes.length === count
    return [
      { row: 11, name: `memory with ${count.toLocaleString('en')} phones connected, above that with one`, value: `${Math.round(more)} MB`, bar: { kind: 'most', most: 100, is: more, unit: 'MB' } },
      { row: 11, name: `a message to each of ${count.toLocaleString('en')} phones: the first accepted → woken, p99`, value: `${woken.p99} ms`, bar: { kind: 'holds', holds: isComplete && woken.p99 <= 1_000, summary: 'all, ≤ 1000 ms' }, facts },
      { row: 11, name: `a message to each of ${count.toLocaleString('en')} phones: the first accepted → all fetched`, value: `${Math.round(pulledMs)} ms`, bar: { kind: 'most', most: 5_000, is: pulledMs, unit: 'ms' } },
    ] // prettier-ignore
  } finally {
    await crowds.stop()
    await server.stop()
    await folder.remove()
  }
}

/** The middle of what is resident for some seconds, once the garbage of the registrations is collected. */
async function restingMegabytes(pid: number): Promise<number> {
  await sleep(settleMs)
  const samples: number[] = []
  for (let n = 0; n < 10; n++, await sleep(500)) samples.push(residentMegabytes(pid))
  return median(samples)
}
