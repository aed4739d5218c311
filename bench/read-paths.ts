import type { LargeDatabase } from './large-database.ts'
import { recipientOf } from './load-job.ts'

const pathsOfAKind = 500

const somewhere = (most: number): number => Math.floor(Math.random() * most)
const many = (path: () => string): string[] => Array.from({ length: pathsOfAKind }, path)
/** Gives an instant at which there were messages. */
export const instant = ({ firstAtMs, lastAtMs }: LargeDatabase): string =>
  new Date(firstAtMs + somewhere(lastAtMs - firstAtMs)).toISOString()

/** Paths of reads, which ask for something else each time where they can. */
export const readPaths = {
  newest: () => ['/api/v1/history'],
  anywhere: (database: LargeDatabase) => many(() => `/api/v1/history?created_before=${instant(database)}`),
  ofOneNumber: ({ recipients }: LargeDatabase) =>
    many(() => `/api/v1/history?to=${encodeURIComponent(recipientOf(somewhere(recipients)))}`),
  ofOneReference: ({ references }: LargeDatabase) =>
    many(() => `/api/v1/history?client_reference=order-${somewhere(references)}`),
  /** Pages of what changed since any instant at which there were messages. */
  changedSince: (database: LargeDatabase) => many(() => `/api/v1/history?updated_after=${instant(database)}`),
  status: () => ['/api/v1/status'],
  balance: () => ['/api/v1/balance'],
} satisfies Record<string, (database: LargeDatabase) => readonly string[]>

export type ReadPaths = typeof readPaths
