import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { hourMs } from '../clock.ts'
import { type AuditCheck, type AuditTime, ledgerChecks } from '../ledger/audit.ts'
import { messageChecks } from '../messages/audit.ts'
import { inSnapshot } from '../storage/database-file.ts'
import type { Db } from '../storage/dialect.ts'
import { command } from './command.ts'
import { examineFile } from './doctor-file.ts'
import { examineHolds } from './doctor-holds.ts'
import { examinePhones } from './doctor-phones.ts'
import { examineSecret, examineSecretFiles } from './doctor-secret.ts'
import { examineWebhooks } from './doctor-webhooks.ts'
import { attempt, type Finding, fine, megabytes, wrong } from './finding.ts'
import type { Toolbox } from './toolbox.ts'

const leastFreeBytes = 500_000_000
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
    await examineSecretFiles(config),
  ]
}

async function examineDatabase({ config, clock }: Toolbox, full: boolean): Promise<Finding[]> {
  const at: AuditTime = { nowMs: clock.now(), receiptWindowMs: config.receiptWindowHours * hourMs }
  const examine = async (db: Db): Promise<Finding[]> => [
    ...(await examineSecret(db, config)),
    ...(await examineHolds(db)),
    ...(await examinePhones(db, config)),
    ...(await examineWebhooks(db, config, at.nowMs)),
    ...(await examineSums(db, at)),
  ]
  if (config.databaseUrl === null) return examineFile(config, { full, examine })
  const { examineServer } = await import('./doctor-server.ts')
  return examineServer(config, config.databaseUrl, { full, examine })
}

/** Everything that must hold between the tables, as of one instant. */
export const examineSums = (db: Db, at: AuditTime): Promise<Finding[]> =>
  inSnapshot(db, (snapshot) => addUp(snapshot, at))

/** The same where nobody writes. */
export async function addUp(db: Db, at: AuditTime): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of [...ledgerChecks, ...messageChecks]) findings.push(await examineSum(db, at, check))
  return findings
}

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
