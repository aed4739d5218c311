import { hourMs } from '../../runtime/clock.ts'
import { secretFile } from '../../process/instance-secret.ts'
import { StorageError } from '../../storage/seam/dialect.ts'
import { lockFolder } from '../../storage/instance/folder-lock.ts'
import { moveDatabase, MoveMismatchError, type MoveResult } from '../../storage/move/move-database.ts'
import { WrongTargetError } from '../../storage/move/move-target-check.ts'
import { command, type Output } from '../core/command.ts'
import { CommandError } from '../core/command-errors.ts'
import { addUp } from '../doctor/doctor.ts'
import { MoveLines } from './move-lines.ts'
import { requireDatabase, requireEmbedded, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

/** 5,000 messages are about 3 MB: few flushes, and little to repeat after a kill. */
const defaultPageRows = 5_000
const maxPageRows = 50_000

export const moveCommand = command({
  summary:
    'Moves all data from the embedded database to an empty PostgreSQL database. Stop the server first.',
  details:
    'An interrupted move resumes where it stopped. At the end the command compares both databases and marks the embedded one as moved, so that no server uses it any more. The password is read from PGPASSWORD or a pgpass file. See docs/operating.md for the steps.',
  arguments: [],
  options: {
    to: {
      type: 'text',
      value: 'URL',
      summary: 'URL of the database, for example postgres://ada@db.example.org/onesixty, without a password.',
      required: true,
    },
    'page-rows': {
      type: 'number',
      summary: `Rows per copied and committed page, 1 to ${maxPageRows}. Default: ${defaultPageRows}.`,
    },
  },
  async run(tools, { options, json }) {
    const place = readTarget(options.to)
    const pageRows = options['page-rows'] ?? defaultPageRows
    if (!Number.isInteger(pageRows) || pageRows < 1 || pageRows > maxPageRows)
      throw new CommandError(
        'invalid_page_rows',
        `--page-rows must be a whole number from 1 to ${maxPageRows}.`,
      )
    requireEmbedded(
      tools.config,
      'The embedded database of ONESIXTY_DATA is moved: run move without DATABASE_URL.',
    )
    await requireDatabase(tools.config)
    const startedMs = tools.clock.monotonicMs()
    const result = await move(tools, { url: options.to, place, pageRows, json })
    return describe(tools, { result, place, url: options.to, tookMs: tools.clock.monotonicMs() - startedMs })
  },
})

interface MoveRequest {
  url: string
  place: string
  pageRows: number
  json: boolean
}

async function move(tools: CommandContext, { url, place, pageRows, json }: MoveRequest): Promise<MoveResult> {
  const { config, clock, ids, io } = tools
  const lock = await lockFolder(config.dataFolder, { nowMs: clock.now(), purpose: 'onesixty move' })
  const lines = new MoveLines(json ? null : io.stdout, () => clock.monotonicMs())
  // Whole tables are read: no statement timeout.
  const settings = {
    url,
    applicationName: 'onesixty move',
    readers: 1,
    connectTimeoutMs: config.postgresConnectTimeoutMs,
    statementTimeoutMs: 0,
  }
  const at = { nowMs: clock.now(), receiptWindowMs: config.receiptWindowHours * hourMs }
  const deps = {
    clock,
    ids,
    dataFolder: config.dataFolder,
    busyTimeoutMs: config.busyTimeoutMs,
    onProgress: lines.show,
    findBrokenSums: async (db: Parameters<typeof addUp>[0]) =>
      (await addUp(db, at)).filter(({ ok }) => !ok).map(({ name }) => name),
  }
  try {
    return await moveDatabase(deps, { settings, place, pageRows })
  } catch (error) {
    if (error instanceof WrongTargetError) throw new CommandError(error.code, error.message)
    if (error instanceof StorageError && passwordFault.test(error.message))
      throw new CommandError(
        'password_refused',
        `Sign-in to PostgreSQL failed: ${error.message}. The password is read from PGPASSWORD, else from a pgpass file (~/.pgpass, chmod 600).`,
      )
    if (error instanceof MoveMismatchError) throw new CommandError('mismatch', error.message)
    throw error
  } finally {
    lines.end()
    lock.release()
  }
}

/** SQLSTATE class 28, invalid authorization; or the server asks for a password and none is set. */
const passwordFault = /\(28[0-9A-Z]{3}\)$|asks for a password/

/**
 * Returns the URL as it is printed and stored. Throws for an invalid URL and for a password, which is never
 * printed.
 */
function readTarget(given: string): string {
  const url = URL.parse(given)
  if (
    url === null ||
    !/^postgres(ql)?:$/.test(url.protocol) ||
    url.hostname === '' ||
    url.pathname.length < 2
  )
    throw new CommandError(
      'invalid_target',
      '--to must be the URL of a database, such as postgres://ada@db.example.org/onesixty',
    )
  if (url.password !== '' || url.searchParams.has('password'))
    throw new CommandError(
      'password_in_url',
      'The URL contains a password, which is visible in the process list and the shell history. Remove it, and set PGPASSWORD or a pgpass file (~/.pgpass, chmod 600). Change the exposed password.',
    )
  const user = url.username === '' ? '' : `${url.username}@`
  return `postgres://${user}${url.host}${url.pathname}`
}

function describe(
  { config }: CommandContext,
  { result, place, url, tookMs }: { result: MoveResult; place: string; url: string; tookMs: number },
): Output {
  const { wasDone, tables, rows, sums, brokenSums, isRestored } = result
  const secret = config.secret === null ? secretFile(config.dataFolder) : null
  const seconds = Math.round(tookMs / 100) / 10
  const done = wasDone
    ? `All data was already moved to ${place}.`
    : `Moved all data to ${place}: ${rows.toLocaleString('en')} rows of ${tables} tables, ${seconds} s. Both databases are identical: granted ${sums['granted'] ?? 0}, reserved ${sums['reserved'] ?? 0}, used ${sums['used'] ?? 0}.`
  const lines = [
    done,
    ...(brokenSums.length === 0
      ? []
      : [
          `These sums were wrong before the move and still are: ${brokenSums.join(', ')} (see ${ownCommand()} doctor).`,
        ]),
    ...(isRestored
      ? [
          `The embedded database was restored from a backup: the first start holds queued messages (${ownCommand()} restore release, cancel or settle).`,
        ]
      : []),
    'Start the server with:',
    `  DATABASE_URL=${url}   (the password in PGPASSWORD or a pgpass file)`,
    secret === null
      ? '  ONESIXTY_SECRET unchanged'
      : `  ONESIXTY_SECRET set to the content of ${secret}: without it stored passwords cannot be decrypted`,
    `  ONESIXTY_DATA=${config.dataFolder} unchanged: it contains the state of this node`,
    'The embedded database is unchanged, and no longer used.',
  ]
  return {
    json: {
      moved_to: place,
      was_done: wasDone,
      tables,
      rows,
      seconds,
      sums,
      broken_sums: brokenSums,
      held_at_first_start: isRestored,
      secret: secret ?? 'ONESIXTY_SECRET',
    },
    text: lines.join('\n'),
    exitCode: brokenSums.length === 0 ? 0 : 1,
  }
}
