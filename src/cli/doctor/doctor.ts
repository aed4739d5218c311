import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { hourMs } from '../../runtime/clock.ts'
import { type AuditCheck, type AuditTime, ledgerChecks } from '../../ledger/ledger-audit.ts'
import { messageChecks } from '../../messages/audit/message-audit.ts'
import { inSnapshot } from '../../storage/sqlite/database-file.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { command } from '../core/command.ts'
import { examineFile } from './doctor-file.ts'
import { examineHolds } from './doctor-holds.ts'
import { examinePhones } from './doctor-phones.ts'
import { examinePorts } from './doctor-ports.ts'
import { examineProviders } from './doctor-providers.ts'
import { examineSecret, examineSecretFiles } from './doctor-secret.ts'
import { examineWebhooks } from './doctor-webhooks.ts'
import { type CheckResult, fine, megabytes, runCheck, wrong } from '../core/check-result.ts'
import { guidePath } from '../../process/guides.ts'
import { ownAddress } from '../../process/own-address.ts'
import type { CommandContext } from '../core/command-context.ts'

const minFreeBytes = 500_000_000
const minNodeVersion = 24

export const doctorCommand = command({
  summary: 'Checks this instance: machine, files, database and sums.',
  details:
    'Changes nothing, can run while the server runs, and reads one snapshot of the database. Exit code 1 when a check fails.',
  arguments: [],
  options: {
    full: { type: 'flag', summary: 'Also check every page and index; slow for a large database.' },
  },
  async run(tools, { options }) {
    const checks = [...(await examineMachine(tools)), ...(await examineDatabase(tools, options.full))]
    const ok = checks.every((check) => check.ok)
    const lines = checks.flatMap((check) => [
      `${check.ok ? 'ok  ' : 'FAIL'}  ${check.name}: ${check.summary}`,
      ...(check.remedy === null ? [] : [`      ${check.remedy}`]),
      ...(check.violations ?? []).map((row) => `      ${JSON.stringify(row)}`),
    ])
    const failed = checks.filter((check) => !check.ok).length
    const guide = `${ownAddress(tools.config)}${guidePath('doctor')}`
    lines.push(
      ok
        ? `${checks.length} checks passed.`
        : `${failed} of ${checks.length} checks failed. A running server has a guide to each: ${guide}`,
    )
    return { json: { ok, checks }, text: lines.join('\n'), exitCode: ok ? 0 : 1 }
  },
})

async function examineMachine({ config }: CommandContext): Promise<CheckResult[]> {
  const { dataFolder } = config
  const node = process.versions.node
  return [
    Number(node.split('.')[0]) >= minNodeVersion
      ? fine('node', `Node.js ${node}.`)
      : wrong(
          'node',
          `Node.js ${node} is too old.`,
          `Use Node.js ${minNodeVersion} or later: npm start uses its own.`,
        ),
    await runCheck(
      'data_folder',
      `Make ${dataFolder} writable for this user, or set ONESIXTY_DATA.`,
      async () => {
        await access(dataFolder, constants.R_OK | constants.W_OK)
        return `${dataFolder} is writable.`
      },
    ),
    await runCheck('free_space', 'Free disk space: without it sends are rejected (507).', async () => {
      const { bavail, bsize } = await statfs(dataFolder)
      const free = bavail * bsize
      if (free < minFreeBytes) throw new Error(`Only ${megabytes(free)} free.`)
      return `${megabytes(free)} free.`
    }),
    await examineSecretFiles(config),
  ]
}

async function examineDatabase(tools: CommandContext, full: boolean): Promise<CheckResult[]> {
  const { config, clock } = tools
  const at: AuditTime = { nowMs: clock.now(), receiptWindowMs: config.receiptWindowHours * hourMs }
  const examine = async (db: Db): Promise<CheckResult[]> => [
    ...(await examineSecret(db, config)),
    ...(await examineHolds(db)),
    ...(await examinePhones(db, tools)),
    ...(await examinePorts(db, tools)),
    ...(await examineProviders(db)),
    ...(await examineWebhooks(db, config, at.nowMs)),
    ...(await examineSums(db, at)),
  ]
  if (config.databaseUrl === null) return examineFile(config, { full, examine })
  const { examineServer } = await import('./doctor-server.ts')
  return examineServer(config, config.databaseUrl, { full, examine })
}

/** Checks all sums between tables in one snapshot. */
export const examineSums = (db: Db, at: AuditTime): Promise<CheckResult[]> =>
  inSnapshot(db, (snapshot) => addUp(snapshot, at))

/** Checks all sums without a snapshot, for a database without writers. */
export async function addUp(db: Db, at: AuditTime): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of [...ledgerChecks, ...messageChecks]) results.push(await examineSum(db, at, check))
  return results
}

async function examineSum(db: Db, at: AuditTime, { name, summary, find }: AuditCheck): Promise<CheckResult> {
  const remedy = 'Keep a backup and report this: it is a bug in onesixty.'
  try {
    const violations = await find(db, at)
    return violations.length === 0
      ? fine(name, summary)
      : { ...wrong(name, `Violated: ${summary}`, remedy), violations }
  } catch (error) {
    return wrong(name, `Cannot check: ${(error as Error).message}.`, 'See the failed checks above first.')
  }
}
