import type { LargeDatabase } from './large-database.ts'

const pathsOfAKind = 500

export const somewhere = (most: number): number => Math.floor(Math.random() * most)
export const many = (path: () => string): string[] => Array.from({ length: pathsOfAKind }, path)
export const instant = ({ firstAtMs, lastAtMs }: LargeDatabase): string =>
  new Date(firstAtMs + somewhere(lastAtMs - firstAtMs)).toISOString()

/** Pages of what changed since any instant at which there were messages. */
export const changedSince = (database: LargeDatabase): string[] =>
  many(() => `/api/v1/history?updated_after=${instant(database)}`)
