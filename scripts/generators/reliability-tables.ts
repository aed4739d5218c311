import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { proofSizes } from '../../test/proof-sizes.ts'
import { readPlantedBug } from '../prove-red.ts'
import type { Proof } from '../proof.ts'
import { proofs } from '../proofs.ts'
import { readRecord, type RecordedResult } from '../proof-record.ts'
import type { Generator } from './generator.ts'
import { renderMutants } from './mutant-tables.ts'

const path = 'docs/reliability.md'
const begin =
  '<!-- proofs:begin, written by npm run generate from scripts/proofs.ts, test/proof-sizes.ts and test/planted/ -->'
const end = '<!-- proofs:end -->'
const beginMutants = '<!-- mutants:begin, written by npm run generate from docs/mutants.json -->'
const endMutants = '<!-- mutants:end -->'

/** The tables of `docs/reliability.md`: each proof with its sizes, its tests, what was seen last, each planted bug, and the changes that tests must notice. */
export const reliabilityTables: Generator = {
  path,
  async render() {
    const page = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    const withProofs = between(page, begin, end, await renderTables())
    return between(withProofs, beginMutants, endMutants, renderMutants())
  },
}

function between(page: string, from: string, to: string, text: string): string {
  const [before, rest] = page.split(from)
  const after = rest?.split(to)[1]
  if (before === undefined || after === undefined) throw new Error(`${path} has no ${from} … ${to}.`)
  return `${before}${from}\n\n${text}\n${to}${after}`
}

async function renderTables(): Promise<string> {
  const record = await readRecord()
  const bugs = await Promise.all(proofs.flatMap((proof) => proof.catches.map((name) => bugRow(proof, name))))
  return `| proof | what holds, and against what | in \`npm test\` | in \`npm run prove\` | tests | seen last at the long size |
| --- | --- | --- | --- | --- | --- |
${proofs.map((proof) => proofRow(proof, record[proof.name])).join('\n')}

${bugs.length} bugs are there to be planted, each for the test of its proof to catch; \`npm run prove -- --planted\` plants them all.

| bug | proof | what is wrong with the program once it is planted |
| --- | --- | --- |
${bugs.join('\n')}
${existsSync(new URL('../../docs/soak.svg', import.meta.url)) ? soakChart : ''}`
}

const soakChart = `
## The soak

![Resident memory and write-ahead log while the messages of the soak pass](soak.svg)

All garbage is collected after a million messages and at the end, to see what stays.
`

function proofRow(proof: Proof, seen: RecordedResult | undefined): string {
  const { name, summary, files, script } = proof
  const tests = [...files, ...(script === undefined ? [] : [script])]
    .map((file) => `\`${file}\``)
    .join('<br>')
  const inTests = script === undefined ? sizesOf(proof, 'ci') : 'not run'
  const last =
    seen === undefined
      ? '–'
      : `${seen.size}: ${seen.result} in ${seen.seconds} s (${seen.commit}, ${seen.day})`
  return `| \`${name}\` | ${summary} | ${inTests} | ${sizesOf(proof, 'long')} | ${tests} | ${last} |`
}

const sizesOf = ({ sizes }: Proof, tier: 'ci' | 'long'): string =>
  sizes.length === 0
    ? 'all of it'
    : sizes.map((size) => `${proofSizes[size][tier].toLocaleString('en')} ${proofSizes[size].of}`).join('; ')

async function bugRow({ name }: Proof, bug: string): Promise<string> {
  const { summary } = await readPlantedBug(bug)
  return `| [\`${bug}\`](../test/planted/${bug}.patch) | \`${name}\` | ${summary} |`
}
