import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './coverage.ts'
import { reasonOf } from './equivalent.ts'

/** What came of a room. */
export interface RoomReport {
  room: string
  /** How many changes there are, and how many of them were tried. */
  all: number
  tried: number
  /** How many of them were noticed, `hung` of them by the time limit. */
  killed: number
  hung: number
  seed: string
  commit: string
  day: string
  survivors: readonly Survivor[]
}

export interface Survivor {
  file: string
  line: number
  code: string
  change: string
  ran: number
  reaching: number
}

/** Of how many nobody could say that nobody could notice, and how many per cent of those were noticed. */
export function scoreOf({ tried, killed, survivors }: RoomReport): { counted: number; score: number } {
  const counted = tried - survivors.filter((survivor) => reasonOf(survivor) !== null).length
  return { counted, score: counted === 0 ? 100 : Math.floor((killed * 1000) / counted) / 10 }
}

/**
 * The report before, but for what was looked at now: what is noticed now, or is no change of the program any more. `isLookedAt` says of which files; the
 * survivors of others stay, for nobody has looked.
 */
export function withoutNoticed(
  before: RoomReport | undefined,
  now: RoomReport,
  isLookedAt: (file: string) => boolean,
): RoomReport {
  if (before === undefined) return now
  const others = before.survivors.filter(({ file }) => !isLookedAt(file))
  const gone = before.survivors.length - others.length - now.tried
  const { tried, killed, hung } = before
  return {
    ...before,
    tried: tried - gone,
    killed: killed + now.killed,
    hung: hung + now.hung,
    survivors: [...others, ...now.survivors],
  }
}

const path = join(root, 'docs/mutants.json')

export const readReport = (): Record<string, RoomReport> =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, RoomReport>) : {}

export async function recordRoom(report: RoomReport): Promise<void> {
  const reports = { ...readReport(), [report.room]: report }
  const sorted = Object.fromEntries(Object.entries(reports).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(path, `${JSON.stringify(sorted, null, 2)}\n`)
}
