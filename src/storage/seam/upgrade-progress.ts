/** How an upgrade of the schema proceeds. A database that is created reports nothing. */
export type UpgradeProgress =
  | { kind: 'begins'; migrations: readonly string[]; messages: number; isShared: boolean }
  | { kind: 'applied'; migration: string; number: number; of: number; tookMs: number }

export type ReportUpgrade = (progress: UpgradeProgress) => void

/**
 * What migrations that read or write each message cost on the embedded database, in microseconds and bytes of disk: 17 s and
 * 290 MB for a million messages by `npm run bench:upgrade`. The others take no time that depends on the messages.
 */
const costs: Readonly<Record<string, { us: number; bytes: number }>> = {
  '0025_reported_times.sql': { us: 5, bytes: 0 },
  '0029_own_devices.sql': { us: 2, bytes: 0 },
  '0030_fallback.sql': { us: 3, bytes: 0 },
  '0034_changes.sql': { us: 3, bytes: 80 },
  '0035_lone_sends.sql': { us: 2, bytes: 0 },
  '0036_part_reports.sql': { us: 1, bytes: 0 },
  '0037_open_attempts.sql': { us: 2, bytes: 210 },
  '0040_sim_plans.sql': { us: 1, bytes: 0 },
}

/**
 * Additional work of PostgreSQL: it rewrites all messages and attempts with their indexes before it drops the old ones.
 * 11.5 µs of processor time and 1,474 B were measured for a message with one attempt, of 100,000; the rest of the time is for the disk.
 */
const costsOnPostgres: typeof costs = { '0045_narrow_columns.sql': { us: 25, bytes: 1_600 } }

/** Returns one step of an upgrade in words, for the log and the terminal. */
export function describeUpgrade(progress: UpgradeProgress): string {
  if (progress.kind === 'applied') {
    const { migration, number, of, tookMs } = progress
    return `Upgraded the database: ${number} of ${of}, ${migration}, ${(tookMs / 1_000).toFixed(1)} s.`
  }
  const { migrations, messages, isShared } = progress
  const tables = isShared ? [costs, costsOnPostgres] : [costs]
  const known = migrations.flatMap((name) => tables.flatMap((table) => table[name] ?? []))
  const seconds = Math.ceil((known.reduce((sum, { us }) => sum + us, 0) * messages) / 1e6)
  const megabytes = Math.ceil((known.reduce((sum, { bytes }) => sum + bytes, 0) * messages) / 1e6)
  const about = ` It takes about ${Math.max(1, seconds)} s and ${Math.max(1, megabytes)} MB of free disk.`
  return `Upgrading the database: ${migrations.length} migrations, ${messages.toLocaleString('en')} messages.${about} Until it is done the database stays as it was, also after a kill.`
}
