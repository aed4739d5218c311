import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchRun } from './bench-run.ts'
import { type Figure, perSecondOf } from './figure.ts'
import { type Lived, live } from './life-rows.ts'
import { hundred } from './load-job.ts'
import { type ProviderCounts, startBenchProvider } from './provider-peer.ts'
import { type ServedBench, withServer } from './server-process.ts'

const row = 19
/** The contract of the account at the service, messages a second, and how soon it answers: services take 50 to 300 ms. */
const perSecond = 200
const answerAfterMs = 50
/** Requests at the same time: twice what the rate needs. */
const window = 20
/** Ten seconds of the rate. */
const requests = (10 * perSecond) / hundred.recipients
const least = 0.975 * perSecond
const longestLoadMs = 60_000

/** Without receipts: what is measured is the way out. The key lets connections be kept, because it resolves an answer that one loses. */
const declaration = (port: number): string =>
  JSON.stringify({
    format: 1,
    name: 'bench',
    title: 'Bench',
    hosts: [],
    secrets: { key: { says: 'Key.' } },
    auth: { bearer: '{key}' },
    idempotency: { header: 'Idempotency-Key', for_s: 86_400 },
    send: {
      url: `http://127.0.0.1:${port}/sms`,
      json: { to: '{to}', text: '{text}' },
      answers: [{ status: '200', means: 'accepted', id: '/id' }],
    },
  })

/** Row 19: a messaging service over HTTP that answers after 50 ms, over connections that are kept. */
export async function measureProvider(run: BenchRun): Promise<Figure[]> {
  const provider = await startBenchProvider(answerAfterMs)
  const env = { ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' }
  const name = `${perSecond} messages a second over a messaging service that answers after ${answerAfterMs} ms`
  try {
    return await withServer({ settings: ['offline=true'], env }, async (served) => {
      await addDevice(served, provider.port)
      const limits = { measureMs: longestLoadMs, maxRequests: requests }
      const lived = await live(run, { name, shape: hundred }, { served, limits })
      const [sum] = await served.folder.query('select sum(attempts) as attempts from messages')
      return figuresOf(name, lived, { counts: await provider.count(), attempts: Number(sum?.['attempts']) })
    })
  } finally {
    provider.stop()
  }
}

function figuresOf(
  name: string,
  { perSecond: reached, messages, facts, us }: Lived,
  { counts, attempts }: { counts: ProviderCounts; attempts: number },
): Figure[] {
  const { requests: seen, inFlight, connections, openConnections } = counts
  const isOnce = [attempts, seen].every((count) => count === messages)
  return [
    {
      row,
      name,
      value: `${perSecondOf(reached)} messages`,
      us,
      bar: { kind: 'holds', holds: reached >= least, summary: `≥ ${least}/s` },
      facts,
    },
    {
      row,
      name: 'attempts and requests at the service',
      value: `${attempts} attempts and ${seen} requests for ${messages} messages`,
      bar: { kind: 'holds', holds: isOnce, summary: 'one each' },
    },
    {
      row,
      name: 'requests in flight and connections at the service, at most',
      value: `${inFlight} in flight, ${openConnections} connections; ${connections} opened for ${seen} requests`,
      bar: {
        kind: 'holds',
        // One that has rested is closed, and a burst after a lull opens another; but each carries many requests.
        holds: inFlight <= window && openConnections <= window && connections * 10 <= seen,
        summary: `≤ the window of ${window}, ten requests a connection`,
      },
    },
  ]
}

async function addDevice({ folder, account }: ServedBench, port: number): Promise<void> {
  const [file, secret] = [join(folder.path, 'declaration.json'), join(folder.path, 'provider-key')]
  await writeFile(file, declaration(port))
  await writeFile(secret, 'bench', { mode: 0o600 })
  const settings = [`window=${window}`, `max_per_second=${perSecond}`].flatMap((pair) => ['--set', pair])
  await folder.cli(
    'device', 'add', 'http', '--account', account.accountId, '--name', 'Service', '--declaration', file, '--secret-file', `key=${secret}`,
    ...settings,
  ) // prettier-ignore
}
