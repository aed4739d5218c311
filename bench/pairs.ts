import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { describeHost, watchHost } from './host-factor.ts'
import { type Cost, pairTable } from './pair-table.ts'

const usage = `npm run bench:pairs -- --against FOLDER [--rows 2,4] [--rounds 3]

Runs rows of the bench in turns in another checkout (A) and in this one (B), and compares the medians of what the server spent on
a message or, with row 6, on a read. FOLDER is a checkout with its dependencies: git worktree add FOLDER COMMIT && npm ci --prefix FOLDER.
A round of rows 2 and 4 takes about three minutes. The runs are short: rates are shown beside, and depend on what else the machine does.
`

const here = join(import.meta.dirname, '..')
const run = promisify(execFile)

interface Printed {
  name: string
  value: string
  facts?: string
}

/** Runs the rows once in a checkout; by name, of rows that say what a message or request costs. */
async function measure(folder: string, rows: string): Promise<Map<string, Cost>> {
  const node = join(folder, 'node_modules', '.bin', 'node')
  const args = [join('bench', 'main.ts'), '--rows', rows, '--quick', '--json']
  // It ends with 1 when a bar is missed: in short runs on a busy machine every one may be.
  const { stdout } = await run(node, args, { cwd: folder, maxBuffer: 2 ** 24 }).catch((error: unknown) => {
    const { stdout: printed = '' } = error as { stdout?: string }
    if (printed === '') throw error
    return { stdout: printed }
  })
  const { figures } = JSON.parse(stdout) as { figures: Printed[] }
  return new Map(
    figures.flatMap(({ name, value, facts = '' }) => {
      const [, us] = /(\d+) µs of the server for each (?:message|request)/.exec(facts) ?? []
      return us === undefined ? [] : [[name, { us: Number(us), value }]]
    }),
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      rows: { type: 'string', default: '2,4' },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds)
  if (values.help || values.against === undefined || !(rounds >= 1)) {
    process.stdout.write(usage)
    process.exitCode = values.help ? 0 : 1
    return
  }
  const other = resolve(values.against)
  if (!existsSync(join(other, 'node_modules', '.bin', 'node')))
    throw new Error(`${other} has no dependencies: run npm ci there first.`)
  const costs = { a: [] as Map<string, Cost>[], b: [] as Map<string, Cost>[] }
  const host = await watchHost()
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [side, folder] of [
        ['a', other],
        ['b', here],
      ] as const) {
        // prettier-ignore
        process.stderr.write(`round ${round} of ${rounds}: ${folder}\n`)
        costs[side].push(await measure(folder, values.rows))
        await host.sample()
      }
    }
    process.stdout.write(`${pairTable(costs)}\n${describeHost(host.times())}\n`)
  } finally {
    await host.remove()
  }
}

await main()
