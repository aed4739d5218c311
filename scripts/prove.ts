import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { plantedBugs, proveRed, readPlantedBug } from './prove-red.ts'
import type { Proof } from './proof.ts'
import { proofs } from './proofs.ts'
import { commitOfTree, recordResult } from './proof-record.ts'
import { renderResults, type ResultRow } from './proof-table.ts'
import { runProof } from './run-proof.ts'
import { buildTestedProgram, testedProgram } from './tested-program.ts'
import { type Beside, runInTwoLanes } from './two-lanes.ts'
import { proofSizes, sizeOf } from '../test/proof-sizes.ts'

const usage = `npm run prove [-- options]

  --only NAME,…       Only these proofs, and the bugs planted for them.
  --ci                The sizes of npm test in the place of the long ones.
  --no-planted        Leaves out the planted bugs.
  --planted           Only the planted bugs.
  --record            Keeps what held at the long sizes in docs/reliability.json, for docs/reliability.md.
  --json              JSON on standard output in the place of the table.
  --help              This.

ONESIXTY_TEST_<SIZE>=N sets one size (test/proof-sizes.ts). Proofs: ${proofs.map(({ name }) => name).join(', ')}.
The whole run takes about two hours and wants the machine to itself. Ends with 1 when a proof fails, when one was left out because a tool
is missing, or when a planted bug is not caught.
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      ci: { type: 'boolean', default: false },
      'no-planted': { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  if (!values.ci) process.env['ONESIXTY_TEST_TIER'] = 'long'
  const chosen = chooseProofs(values.only)
  const say = sayProgress(chosen)
  const isRecorded = values.record && !values.ci
  if (isRecorded) refuseOtherSizes(chosen)
  const recordedAs = isRecorded ? commitOfTree() : null
  await refuseStrayBugs()
  const pieces: Piece[] = values.planted ? [] : chosen.map((proof) => ({ proof }))
  if (!values['no-planted'])
    pieces.push(...chosen.flatMap((proof) => proof.catches.map((bug) => ({ proof, bug }))))
  if (!values.planted) await buildProgram(say)
  const startedMs = performance.now()
  const rows = await runInTwoLanes(pieces, besideOf, ({ proof, bug }) =>
    bug === undefined ? prove(proof, { say, recordedAs }) : plantFor(proof, bug, say),
  )
  process.stdout.write(
    values.json ? `${JSON.stringify(rows, null, 2)}\n` : renderResults(rows, performance.now() - startedMs),
  )
  process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1
}

function chooseProofs(only: string | undefined): readonly Proof[] {
  if (only === undefined) return proofs
  return only.split(',').map((name) => {
    const proof = proofs.find((one) => one.name === name)
    if (proof === undefined)
      throw new Error(`There is no proof ${name}: ${proofs.map((one) => one.name).join(', ')}`)
    return proof
  })
}

/** What wants the machine to itself wants it without its bug, too: beside another proof the server held 303 MB where it holds 280 alone. */
const besideOf = ({ proof: { isAlone, isTimed } }: Piece): Beside =>
  isAlone === true ? 'nothing' : isTimed === true ? 'untimed' : 'anything'

/** A proof to run, or a bug to plant for it. */
interface Piece {
  proof: Proof
  bug?: string
}

type Say = (text: string) => void

interface Telling {
  say: Say
  /** The program of which what is seen is kept for docs/reliability.md; null when it is not. */
  recordedAs: string | null
}

/** One line on standard error for each step, with the time since the start. */
function sayProgress(chosen: readonly Proof[]): Say {
  const startedMs = performance.now()
  const say: Say = (text) =>
    void process.stderr.write(
      `${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(5)} s  ${text}\n`,
    )
  say(`${chosen.length} proofs`)
  return say
}

/** A start takes half the time of one of the checkout, and some proofs start a server thousands of times. A planted bug is in a checkout of its own. */
async function buildProgram(say: Say): Promise<void> {
  say('building the program …')
  const run = promisify(execFile)
  for (const args of [['scripts/build-console.ts'], buildTestedProgram])
    await run(process.execPath, args, { cwd: join(import.meta.dirname, '..') })
}

/** What the tests of a proof are given. */
const environment = (): NodeJS.ProcessEnv => ({ ONESIXTY_PROGRAM: testedProgram, ...process.env })

async function prove(proof: Proof, { say, recordedAs }: Telling): Promise<ResultRow> {
  say(`${proof.name} …`)
  const startedMs = performance.now()
  const { passed, failed, leftOut, reasons, seen } = await runProof(proof, environment(), recordedAs !== null)
  const holds = failed === 0 && leftOut.length === 0
  const row: ResultRow = {
    proof: proof.name,
    size: sizesOf(proof),
    result:
      seen ??
      `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}${leftOut.length > 0 ? `, ${leftOut.length} left out` : ''}`,
    seconds: secondsSince(startedMs),
    holds,
    reasons: [...reasons, ...leftOut.map((name) => `left out: ${name}`)],
  }
  say(`${proof.name}: ${row.result}, ${row.seconds} s`)
  for (const reason of row.reasons) say(`  ${reason}`)
  // At once: a run of two hours that is ended has shown what it has shown.
  if (recordedAs !== null) recordResult(row, recordedAs)
  return row
}

const sizesOf = ({ sizes }: Proof): string =>
  sizes.length === 0
    ? 'all'
    : sizes.map((name) => `${sizeOf(name).toLocaleString('en')} ${proofSizes[name].of}`).join('; ')

/** Bugs are planted at the sizes of CI: what `npm test` runs is what must catch them. */
async function plantFor(proof: Proof, name: string, say: Say): Promise<ResultRow> {
  const startedMs = performance.now()
  const { summary, caught, detail } = await plantOne(name)
  say(`${name}: ${caught ? 'caught' : `MISSED, ${detail}`}, ${secondsSince(startedMs)} s`)
  return {
    proof: proof.name,
    size: `planted: ${summary}`,
    result: caught ? 'caught' : 'MISSED',
    seconds: secondsSince(startedMs),
    holds: caught,
    reasons: caught ? [] : [detail],
  }
}

/** A patch that fits no more is one that was not caught: what the others found is told all the same. */
async function plantOne(name: string): Promise<{ summary: string; caught: boolean; detail: string }> {
  try {
    const bug = await readPlantedBug(name)
    return { summary: bug.summary, ...(await proveRed(bug)) }
  } catch (error) {
    return { summary: name, caught: false, detail: String(error) }
  }
}

/** A bug that belongs to no proof would never be planted. */
async function refuseStrayBugs(): Promise<void> {
  const known = new Set(proofs.flatMap(({ catches }) => catches))
  const stray = (await plantedBugs()).filter((name) => !known.has(name))
  if (stray.length > 0) throw new Error(`no proof catches ${stray.join(', ')}: name it in scripts/proofs.ts`)
}

/** What is recorded was seen at the long sizes. */
function refuseOtherSizes(chosen: readonly Proof[]): void {
  const set = chosen
    .flatMap(({ sizes }) => sizes)
    .map((size) => `ONESIXTY_TEST_${size}`)
    .filter((name) => process.env[name] !== undefined)
  if (set.length > 0)
    throw new Error(`--record keeps what was seen at the long sizes: unset ${set.join(', ')}`)
}

const secondsSince = (startedMs: number): number => Math.round((performance.now() - startedMs) / 1_000)

await main()
