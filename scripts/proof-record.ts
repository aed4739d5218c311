import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ResultRow } from './proof-table.ts'

/** What a proof showed when it last ran at its long size: `docs/reliability.json`, by its name, shown in docs/reliability.md. */
export interface RecordedResult extends Pick<ResultRow, 'size' | 'result' | 'seconds'> {
  /** Of which program, by the first digits of its commit. */
  commit: string
  /** In UTC. */
  day: string
}

const file = new URL('../docs/reliability.json', import.meta.url)

export const readRecord = async (): Promise<Record<string, RecordedResult>> =>
  parse(await readFile(file, 'utf8'))

/**
 * Keeps what a proof showed, beside what others showed before. What did not hold is taken out: it was seen to fail since. In one step, because
 * two proofs may end at the same time.
 */
export function recordResult({ proof, size, result, seconds, holds }: ResultRow, commit: string): void {
  const record = parse(readFileSync(file, 'utf8'))
  if (holds) record[proof] = { size, result, seconds, commit, day: today() }
  else delete record[proof]
  const sorted = Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a.localeCompare(b)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}

const parse = (text: string): Record<string, RecordedResult> =>
  JSON.parse(text) as Record<string, RecordedResult>

/** What is in the tree now, by the first digits of its commit; `-dirty` when more is there, untracked files too, but for what proofs record. */
export function commitOfTree(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const more = git('status', '--porcelain', '--', '.', ...recorded.map((path) => `:!${path}`))
  return git('rev-parse', '--short=7', 'HEAD') + (more === '' ? '' : '-dirty')
}

const root = new URL('..', import.meta.url)
const recorded = ['docs/reliability.json', 'docs/soak.json', 'docs/soak.svg', 'docs/reliability.md']

const today = (): string => new Date().toISOString().slice(0, 10)
