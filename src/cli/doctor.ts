import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { isThere } from '../durable-file.ts'
import { type AuditCheck, type AuditTime, ledgerChecks } from '../ledger/audit.ts'
import { loadInstanceSecret, secretFile } from '../instance-secret.ts'
import { messageChecks } from '../messages/audit.ts'
import { databaseFile } from '../storage/database.ts'
import {
  compareMigrations,
  findDamage,
  inSnapshot,
  openDatabaseFile,
  readSyncLevel,
} from '../storage/database-file.ts'
import type { Db } from '../storage/dialect.ts'
import { command } from './command.ts'
import { examinePhones } from './doctor-phones.ts'
import type { Toolbox } from './toolbox.ts'

/** One thing that the doctor looked at. */
export interface Finding {
  name: string
  ok: boolean
  /** What was found, as a sentence. */
  says: string
  /** What to do about it; null when nothing is to be done. */
  remedy: string | null
  /** Rows that break the rule, at most 20. */
  violations?: readonly object[]
}

const leastFreeBytes = 500_000_000
/** Ten checkpoints' worth: something keeps the log from being taken over into the database. */
const mostWalBytes = 256_000_000
const leastNode = 24

export const doctorCommand = command({
  summary: 'Checks this installation: machine, files, database, and that every sum adds up.',
  details:
    'Changes nothing, may run beside the server, and sees the database as of one instant. Exit code 1 when something is wrong.',
  arguments: [],
  options: {
    full: { type: 'flag', says: 'Read every page and index of the database too; slow on a large one.' },
  },
  async run(tools, { options }) {
    const checks = [...(await examineMachine(tools)), ...(await examineDatabase(tools, options.full))]
    const ok = checks.every((check) => check.ok)
    const lines = checks.flatMap((check) => [
      `${check.ok ? 'ok  ' : 'FAIL'}  ${check.name}: ${check.says}`,
      ...(check.remedy === null ? [] : [`      ${check.remedy}`]),
      ...(check.violations ?? []).map((row) => `      ${JSON.stringify(row)}`),
    ])
    const failed = checks.filter((check) => !check.ok).length
    lines.push(ok ? `All ${checks.length} checks are fine.` : `${failed} of ${checks.length} checks failed.`)
    return { json: { ok, checks }, text: lines.join('\n'), exitCode: ok ? 0 : 1 }
  },
})

const fine = (name: string, says: string): Finding => ({ name, ok: true, says, remedy: null })
const wrong = (name: string, says: string, remedy: string): Finding => ({ name, ok: false, says, remedy })

async function examineMachine({ config }: Toolbox): Promise<Finding[]> {
  const { dataFolder } = config
  const node = process.versions.node
  return [
    Number(node.split('.')[0]) >= leastNode
      ? fine('node', `Node.js ${node}.`)
      : wrong(
          'node',
          `Node.js ${node} is too old.`,
          `Use Node.js ${leastNode} or later: npm start brings its own.`,
        ),
    await attempt(
      'data_folder',
      `Make ${dataFolder} writable for this user, or set ONESIXTY_DATA.`,
      async () => {
        await access(dataFolder, constants.R_OK | constants.W_OK)
        return `${dataFolder} can be written to.`
      },
    ),
    await attempt('free_space', 'Make room on the disk: without it sends are refused (507).', async () => {
      const { bavail, bsize } = await statfs(dataFolder)
      const free = bavail * bsize
      if (free < leastFreeBytes) throw new Error(`Only ${megabytes(free)} are free.`)
      return `${megabytes(free)} are free.`
    }),
    await attempt(
      'secret',
      `Restore it from where you keep it beside your backups; without it stored passwords cannot be read.`,
      async () => {
        if (config.secret !== null) return 'The secret comes from ONESIXTY_SECRET.'
        // Looked for first: the doctor makes none.
        if (!(await isThere(secretFile(dataFolder))))
          throw new Error(`${secretFile(dataFolder)} does not exist.`)
        await loadInstanceSecret(config)
        return `${secretFile(dataFolder)} is readable for its owner alone.`
      },
    ),
  ]
}

async function examineDatabase({ config, clock }: Toolbox, full: boolean): Promise<Finding[]> {
  const file = databaseFile(config.dataFolder)
  const found = await attempt(
    'database',
    'Start the server once, or set ONESIXTY_DATA to its folder; if the file is no database, restore a backup.',
    async () => {
      const { size } = await stat(file)
      // Fails when it is no database.
      await openDatabaseFile(file).close()
      return `${file}, ${megabytes(size)}.`
    },
  )
  if (!found.ok) return [found]
  const at: AuditTime = { nowMs: clock.now(), receiptWindowMs: config.receiptWindowHours * 3_600_000 }
  const opened = openDatabaseFile(file)
  try {
    const schema = await examineSchema(opened.db)
    const files = [
      found,
      schema,
      await examineIntegrity(opened.db, full),
      await examineSync(file),
      await examineWal(file),
    ]
    // Of a schema that is not ours the sums would say nothing.
    return schema.ok
      ? [...files, ...(await examinePhones(opened.db, config)), ...(await examineSums(opened.db, at))]
      : files
  } finally {
    await opened.close()
  }
}

const examineSchema = (db: Db): Promise<Finding> =>
  attempt(
    'schema',
    'Run: onesixty migrate. If the database is newer than the program, use the newer program.',
    async () => {
      const { pending, unknown, changed } = await compareMigrations(db)
      if (unknown.length > 0)
        throw new Error(`The database has ${unknown.join(', ')}, which this version does not know.`)
      if (pending.length > 0) throw new Error(`Not yet applied: ${pending.join(', ')}.`)
      if (changed.length > 0) throw new Error(`Was another when it was applied: ${changed.join(', ')}.`)
      return 'The schema is up to date.'
    },
  )

const examineIntegrity = (db: Db, full: boolean): Promise<Finding> =>
  attempt('integrity', 'Stop the server and restore a backup: onesixty restore <file>.', async () => {
    const damage = await findDamage(db, full)
    if (damage.length > 0) throw new Error(damage.join(' '))
    return full ? 'Every page and index is sound.' : 'The file is sound (--full looks into the indexes too).'
  })

const examineSync = (file: string): Promise<Finding> =>
  attempt(
    'synchronous',
    'This build of SQLite is not safe: use the Node.js that npm ci installs.',
    async () => {
      const level = await readSyncLevel(file)
      if (level < 2) throw new Error(`synchronous is ${level}: a power cut could lose accepted messages.`)
      return 'Every commit is flushed (synchronous=FULL).'
    },
  )

const examineWal = (file: string): Promise<Finding> =>
  attempt(
    'wal',
    'Something reads for very long: end old doctor, backup or export commands, or restart the server.',
    async () => {
      const bytes = await stat(`${file}-wal`).then(
        ({ size }) => size,
        () => 0,
      )
      if (bytes > mostWalBytes) throw new Error(`The write-ahead log has grown to ${megabytes(bytes)}.`)
      return `The write-ahead log has ${megabytes(bytes)}.`
    },
  )

/** Everything that must hold between the tables, as of one instant. */
export const examineSums = (db: Db, at: AuditTime): Promise<Finding[]> =>
  inSnapshot(db, async (snapshot) => {
    const findings: Finding[] = []
    for (const check of [...ledgerChecks, ...messageChecks])
      findings.push(await examineSum(snapshot, at, check))
    return findings
  })

async function examineSum(db: Db, at: AuditTime, { name, says, find }: AuditCheck): Promise<Finding> {
  const remedy = 'Keep a backup and report this: it is a mistake of the program.'
  try {
    const violations = await find(db, at)
    return violations.length === 0
      ? fine(name, says)
      : { ...wrong(name, `Does not hold: ${says}`, remedy), violations }
  } catch (error) {
    return wrong(name, `Cannot be told: ${(error as Error).message}.`, 'Look at the checks above first.')
  }
}

/** What `look` says, or what it threw as what is wrong. */
async function attempt(name: string, remedy: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return fine(name, await look())
  } catch (error) {
    return wrong(name, error instanceof Error ? error.message : String(error), remedy)
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
