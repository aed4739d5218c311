import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { middle, missedGates, type Start } from './form-gates.ts'
import { type Form, formsOf } from './installed-forms.ts'
import { one } from './load-job.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { residentMegabytes } from './process-usage.ts'
import { renderLines } from './table.ts'

const usage = `node bench/forms.ts [--rounds 5] [--beside FOLDER] [--load] [--only checkout,package]

How long each form of the program takes until it is ready, what it then uses, and how large it is: the checkout, the package and the executable that
npm run release -- --only npm,sea wrote, and with --beside a checkout of another commit, which npm ci has installed. One start of each in turns, on no
database, so that other work on the machine is fair. --load also measures the rate at which each accepts messages. Ends with 1 where a gate is missed.
`

/** After a start the garbage of loading is still there; two seconds later it is not. */
const restMs = 2_000
const readyWithinMs = 60_000

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      beside: { type: 'string' },
      load: { type: 'boolean', default: false },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const rounds = Number(values.rounds)
  if (!(rounds >= 1)) throw new Error(`--rounds is a number from 1, not ${values.rounds}.`)
  const scratch = await mkdtemp(join(tmpdir(), 'onesixty-forms-'))
  const generator = values.load ? startLoadGenerator() : null
  try {
    const wanted = values.only?.split(',')
    const all = await formsOf({ scratch, beside: values.beside })
    const names = all.map(({ name }) => name)
    const unknown = (wanted ?? []).filter((name) => !names.includes(name))
    if (unknown.length > 0)
      throw new Error(`--only has ${unknown.join(', ')}. Possible are ${names.join(', ')}.`)
    const forms = all.filter(({ name }) => wanted === undefined || wanted.includes(name))
    const starts = new Map<Form, Start[]>(forms.map((form) => [form, []]))
    for (let round = 1; round <= rounds; round++)
      for (const form of forms) {
        const start = await measureStart(form, generator)
        starts.get(form)?.push(start)
        console.error(`${round} ${form.name}: ${JSON.stringify(start)}`)
      }
    console.log(describe(starts))
    const missed = missedGates(starts)
    for (const line of missed) console.log(`MISS: ${line}`)
    if (missed.length > 0) process.exitCode = 1
  } finally {
    generator?.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Starts a form on a folder without a database, and measures it. */
async function measureStart(form: Form, generator: LoadGenerator | null): Promise<Start> {
  const data = await mkdtemp(join(tmpdir(), 'onesixty-form-'))
  // A cache of its own: a checkout of an older version keeps its modules there, and has none after an installation.
  const env = { PATH: process.env['PATH'] ?? '', ONESIXTY_DATA: data, ONESIXTY_PORT: '0', ONESIXTY_PUMPING_MESSAGES: '0', XDG_CACHE_HOME: form.keepsCache ?? join(data, 'cache') } // prettier-ignore
  const [program = '', ...args] = form.command
  const startedMs = performance.now()
  const child = spawn(program, [...args, 'serve'], { cwd: form.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }) // prettier-ignore
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit')
  try {
    const port = await portOnceReady(() => output)
    const readyMs = performance.now() - startedMs
    await sleep(restMs)
    const pid = child.pid as number
    const measured = { readyMs, processorMs: processorMs(pid), memoryMb: residentMegabytes(pid) }
    const cli = async (...words: string[]): Promise<unknown> =>
      promisify(execFile)(program, [...args, ...words], { cwd: form.folder, env })
    return { ...measured, perSecond: generator && (await measureAccept({ output, port, cli, generator })) }
  } finally {
    child.kill('SIGKILL')
    await ended
    await rm(data, { recursive: true, force: true })
  }
}

async function portOnceReady(output: () => string): Promise<number> {
  for (const deadline = performance.now() + readyWithinMs; performance.now() < deadline; await sleep(2)) {
    const url = /"url":"([^"]+)".*is ready/.exec(output())?.[1]
    if (url === undefined) continue
    const { port } = new URL(url)
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`)
    if (ok) return Number(port)
  }
  throw new Error(`It was not ready within ${readyWithinMs / 1000} s: ${output().slice(-500)}`)
}

/** Processor time of a process so far; Linux counts in ticks of 10 ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** How many sends of one recipient a second are accepted over 64 connections, while a device that is cut off takes nothing away. */
async function measureAccept(on: {
  output: string
  port: number
  cli: (...words: string[]) => Promise<unknown>
  generator: LoadGenerator
}): Promise<number> {
  const find = (label: string): string => new RegExp(`${label} +(\\S+)`).exec(on.output)?.[1] ?? ''
  const account = ['--account', find('account')]
  await on.cli('account', 'grant', ...account, '--sms', '1000000000', '--note', 'bench')
  await on.cli('account', 'limit', ...account, '--send-per-minute', '0', '--queue', '0')
  await on.cli('device', 'add', 'simulator', ...account, '--name', 'Off', '--set', 'offline=true')
  await sleep(restMs)
  const job = { ports: [on.port], tokens: [find('live key')], shape: one, connections: 64, perSecond: null, warmUpMs: 3_000, measureMs: 8_000, maxRequests: null, firstMessage: 0, keepTimes: false } // prettier-ignore
  return (await on.generator.run(job, 202)).perSecond
}

function describe(starts: ReadonlyMap<Form, readonly Start[]>): string {
  const rows = [...starts].map(([{ name, size }, all]) => {
    const rate = all[0]?.perSecond === null ? [] : [`${Math.round(middle(all, ({ perSecond }) => perSecond ?? 0)).toLocaleString('en')}/s`] // prettier-ignore
    return [
      name,
      `${Math.round(middle(all, ({ readyMs }) => readyMs)).toLocaleString('en')} ms`,
      `${Math.round(middle(all, ({ processorMs: ms }) => ms)).toLocaleString('en')} ms`,
      `${Math.round(middle(all, ({ memoryMb }) => memoryMb))} MB`,
      size.words,
      ...rate,
    ]
  })
  const rate = rows[0]?.length === 6 ? ['accepted'] : []
  return renderLines(
    ['form', 'ready', 'processor time until 2 s later', 'memory then', 'on disk', ...rate],
    rows,
  )
}

await main()
