import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchRun } from './bench-run.ts'
import { type Figure, perSecondOf } from './figure.ts'
import { live } from './life-rows.ts'
import { hundred } from './load-job.ts'
import { startBenchProvider } from './provider-peer.ts'
import { type ServedBench, withServer } from './server-process.ts'

/** The contract of the account at the service, messages a second, and how soon it answers: services take 50 to 300 ms. */
const perSecond = 200
const answerAfterMs = 50
/** Requests at the same time: twice what the rate needs. */
const window = 20
/** Ten seconds of the rate. */
const requests = (10 * perSecond) / hundred.recipients
const least = 0.975 * perSecond
const longestLoadMs = 60_000

/** Without receipts: what is measured is the way out. */
const declaration = (port: number): string =>
  JSON.stringify({
    format: 1,
    name: 'bench',
    title: 'Bench',
    hosts: [],
    secrets: { key: { says: 'Key.' } },
    auth: { bearer: '{key}' },
    send: {
      url: `http://127.0.0.1:${port}/sms`,
      json: { to: '{to}', text: '{text}' },
      answers: [{ status: '200', means: 'accepted', id: '/id' }],
    },
  })

/** Row 19: a messaging service over HTTP that answers after 50 ms, each request over a connection of its own. */
export async function measureProvider(run: BenchRun): Promise<Figure[]> {
  const provider = await startBenchProvider(answerAfterMs)
  const env = { ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' }
  const name = `${perSecond} messages a second over a messaging service that answers after ${answerAfterMs} ms`
  try {
    return await withServer({ settings: ['offline=true'], env }, async (served) => {
      await addDevice(served, provider.port)
      const limits = { measureMs: longestLoadMs, maxRequests: requests }
      const lived = await live(run, { name, shape: hundred }, { served, limits })
      return [
        {
          row: 19,
          name,
          value: `${perSecondOf(lived.perSecond)} messages`,
          bar: { kind: 'holds', holds: lived.perSecond >= least, summary: `≥ ${least}/s` },
          facts: lived.facts,
        },
      ]
    })
  } finally {
    provider.stop()
  }
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
