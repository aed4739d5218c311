import { setTimeout as sleep } from 'node:timers/promises'
import { runCommandLine } from '../src/cli/command-line.ts'
import { type FakePhones, startFakePhones } from '../test/peers/fake-phone-control.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, median } from './figure.ts'
import { makePhoneAccount } from './phone-crowds.ts'
import { residentMegabytes, watchProcessor } from './process-usage.ts'
import { type BenchFolder, makeFolder, startServer } from './server-process.ts'

const most = 100
/** The first visits, which meet each phone and list what it has, and the garbage of connecting. */
const settleMs = 30_000
/** Six visits of each phone at the default interval of 10 s. */
const watchMs = 60_000
const maxWaitMs = 60_000
const localPassword = 'of the bench'

/** Row 18: phones that are visited and have nothing to do: what they cost above a server with one. */
export async function measureVisits(run: BenchRun): Promise<Figure[]> {
  const count = Math.min(most, run.lengths.phones)
  const folder = await makeFolder()
  await makePhoneAccount(folder)
  const phones = await startFakePhones({
    baseUrl: 'http://127.0.0.1:9',
    count,
    isCloudOn: false,
    localPort: 0,
    localPassword,
  })
  const server = await startServer(folder)
  try {
    await connect(folder, phones, [0, 1])
    const alone = await rest(server.pid)
    await connect(folder, phones, [1, count])
    await untilVisited(phones)
    const together = await rest(server.pid)
    const megabytes = together.megabytes - alone.megabytes
    const percent = (together.share - alone.share) * 100
    run.say(`${count} visited phones: ${percent.toFixed(2)} % of a core and ${megabytes.toFixed(1)} MB more than one`)
    const name = `${count} visited phones without messages, above one`
    return [
      { row: 18, name: `${name}: processor`, value: `${percent.toFixed(1)} % of a core`, bar: { kind: 'most', most: 2, is: percent, unit: '% of a core' } },
      { row: 18, name: `${name}: memory`, value: `${Math.round(megabytes)} MB`, bar: { kind: 'most', most: 10, is: megabytes, unit: 'MB' } },
    ]
  } finally {
    await server.stop()
    await phones.stop()
    await folder.remove()
  }
} // prettier-ignore

/** Connects these phones as a user does, by the command in this process. */
async function connect(
  folder: BenchFolder,
  phones: FakePhones,
  [from, to]: readonly [number, number],
): Promise<void> {
  const views = await phones.views()
  for (const { localPort } of views.slice(from, to)) {
    let said = ''
    const write = (text: string): void => void (said += text)
    const args = ['device', 'connect', 'android', '--shared', '--local', `127.0.0.1:${localPort}`]
    const code = await runCommandLine([...args, '--password-stdin', '--json'], {
      stdout: { write },
      stderr: { write },
      stdin: (async function* password() {
        yield `${localPassword}\n`
      })(),
      env: folder.env,
    })
    if (code !== 0) throw new Error(`A phone was not connected: ${said}`)
  }
}

async function untilVisited(phones: FakePhones): Promise<void> {
  const untilMs = performance.now() + maxWaitMs
  const visited = (): number => new Set(phones.all.requests('GET', '/inbox').map(({ phone }) => phone)).size
  while (visited() < phones.list.length) {
    if (performance.now() > untilMs) throw new Error(`Only ${visited()} phones were visited.`)
    await sleep(500)
  }
}

async function rest(pid: number): Promise<{ share: number; megabytes: number }> {
  await sleep(settleMs)
  const processor = watchProcessor(pid)
  await sleep(watchMs)
  const { total } = processor.stop()
  const samples: number[] = []
  for (let n = 0; n < 10; n++, await sleep(500)) samples.push(residentMegabytes(pid))
  return { share: total, megabytes: median(samples) }
}
