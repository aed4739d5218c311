import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from '../bench-run.ts'
import { waitUntilFinal } from '../life-rows.ts'
import { one } from '../load-job.ts'
import { makePhoneAccount, PhoneCrowds, sendToAll } from '../phone-crowds.ts'
import { makeFolder, type ServerProcess, startServer, withServer } from '../server-process.ts'
import type { Probe } from './instrument.ts'

const rounds = 5

/** A message to each of many phones, which hear of it by their event streams, fetch it, and say that it went. */
export async function toPhones(run: BenchRun, { nodeOptions, under, measure }: Probe): Promise<string[]> {
  const { phones } = run.lengths
  const folder = await makeFolder()
  const { liveKey, privateToken } = await makePhoneAccount(folder)
  const server = await startServer(folder, { nodeOptions, under })
  const crowds = new PhoneCrowds({ port: server.port, privateToken })
  try {
    await crowds.connect(phones, phones * 10)
    const send = () => sendToAll({ port: server.port, liveKey, folder, crowds, count: phones })
    await send()
    await measure(async () => {
      for (let round = 0; round < rounds; round++) await send()
      return { units: rounds * phones, unit: 'message' }
    })
  } finally {
    await crowds.stop()
    await server.stop()
    await folder.remove()
  }
  return []
}

const tabs = 20
const sendsPerSecond = 500

/** Tabs of the console look on at an account while it sends through the simulator. */
export async function lookOn(run: BenchRun, { nodeOptions, under, measure }: Probe): Promise<string[]> {
  await withServer({ settings: ['delay_ms=0'], nodeOptions, under }, async ({ server, account, folder }) => {
    const closed = new AbortController()
    try {
      await openTabs(server, account, closed.signal)
      const load = async (measureMs: number): Promise<number> => {
        const { messages } = await run.load(`${tabs} tabs look on`, {
          server,
          token: account.liveKey,
          shape: one,
          perSecond: sendsPerSecond,
          warmUpMs: 0,
          measureMs,
        })
        await waitUntilFinal(folder)
        return messages
      }
      await load(run.lengths.warmUpMs)
      await measure(async () => ({ units: await load(run.lengths.measureMs), unit: 'message' }))
    } finally {
      closed.abort()
    }
  })
  return []
}

/** Chooses the first password as a person with the set-up link does, and opens the live streams of so many tabs. */
async function openTabs(
  { port }: ServerProcess,
  { accountId, setupLink }: { accountId: string; setupLink: string },
  signal: AbortSignal,
): Promise<void> {
  const origin = `http://localhost:${port}`
  const signedIn = await fetch(`${origin}/console/api/link/choose-password`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({
      token: new URL(setupLink).hash.slice(1),
      password: 'ten tabs of the bench look on',
    }),
  })
  if (signedIn.status !== 200)
    throw new Error(`The console answered ${signedIn.status}: ${await signedIn.text()}`)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const address = `${origin}/console/api/live?${new URLSearchParams({ account: accountId, mode: 'live', input: '{}' }).toString()}`
  for (let tab = 0; tab < tabs; tab++) {
    const stream = await fetch(address, { headers: { origin, cookie }, signal })
    if (stream.status !== 200 || stream.body === null)
      throw new Error(`A tab was answered ${stream.status}: ${await stream.text()}`)
    void stream.body.pipeTo(new WritableStream()).catch(() => undefined)
  }
  await sleep(1_000)
}
