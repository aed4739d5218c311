import { hourMs } from '../clock.ts'
import { secretFile } from '../instance-secret.ts'
import { StorageError } from '../storage/dialect.ts'
import { lockFolder } from '../storage/folder-lock.ts'
import { moveDatabase, MoveMismatchError, type MoveResult } from '../storage/move-database.ts'
import { WrongTargetError } from '../storage/move-target-check.ts'
import { command, type Output } from './command.ts'
import { CommandError } from './command-errors.ts'
import { addUp } from './doctor.ts'
import { MoveLines } from './move-lines.ts'
import { requireDatabase, requireEmbedded, type Toolbox } from './toolbox.ts'

/** 5,000 messages are about 3 MB: enough that a flush for each costs nothing, and that little is done again after a kill. */
const defaultPageRows = 5_000
const mostPageRows = 50_000

export const moveCommand = command({
  summary:
    'Moves everything from the embedded database to an empty PostgreSQL database; the server must be stopped.',
  details:
    'It goes on where it was when it was ended or killed. At the end it compares both sides and marks the embedded database as moved, so that nobody serves it any more. The password comes from PGPASSWORD or a pgpass file. docs/operating.md tells it step by step.',
  arguments: [],
  options: {
    to: {
      type: 'text',
      value: 'URL',
      says: 'The database, such as postgres://ada@db.example.org/onesixty; never with a password.',
      required: true,
    },
    'page-rows': {
      type: 'number',
      says: `Rows that are copied and committed at a time, 1 to ${mostPageRows}; ${defaultPageRows} when left out.`,
    },
  },
  async run(tools, { options, json }) {
    const place = readTarget(options.to)
    const pageRows = options['page-rows'] ?? defaultPageRows
    if (!Number.isInteger(pageRows) || pageRows < 1 || pageRows > mostPageRows)
      throw new CommandError(
        'invalid_page_rows',
        `--page-rows takes a whole number from 1 to ${mostPageRows}.`,
      )
    requireEmbedded(
      tools.config,
      'What moves is the embedded database of ONESIXTY_DATA: run move without DATABASE_URL.',
    )
    await requireDatabase(tools.config)
    const startedMs = tools.clock.monotonicMs()
    const result = await move(tools, { url: options.to, place, pageRows, json })
    return describe(tools, { result, place, url: options.to, tookMs: tools.clock.monotonicMs() - startedMs })
  },
})

interface Wish {
  url: string
  place: string
  pageRows: number
  json: boolean
}

async function move(tools: Toolbox, { url, place, pageRows, json }: Wish): Promise<MoveResult> {
  const { config, clock, ids, io } = tools
  const lock = await lockFolder(config.dataFolder, { nowMs: clock.now(), purpose: 'onesixty move' })
  const lines = new MoveLines(json ? null : io.stdout, () => clock.monotonicMs())
  // Of each table everything is read: no statement may be cut off for taking long.
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
        `The server did not let this user in: ${error.message}. The password is taken from PGPASSWORD, else from a pgpass file (~/.pgpass, chmod 600).`,
      )
    if (error instanceof MoveMismatchError) throw new CommandError('mismatch', error.message)
    throw error
  } finally {
    lines.end()
    lock.release()
  }
}

/** SQLSTATE class 28, invalid authorization; and that there is no password to answer with. */
const passwordFault = /\(28[0-9A-Z]{3}\)$|asks for a password/

/** The address as it may be shown and kept. Refuses what is no address of a database, and a password, which is never repeated. */
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
      '--to needs the address of a database, such as postgres://ada@db.example.org/onesixty',
    )
  if (url.password !== '' || url.searchParams.has('password'))
    throw new CommandError(
      'password_in_url',
      'The address holds a password: the list of processes and the history of the shell keep it. Leave it out, and set PGPASSWORD or write it to a pgpass file (~/.pgpass, chmod 600). Better change the one that stood here.',
    )
  const user = url.username === '' ? '' : `${url.username}@`
  return `postgres://${user}${url.host}${url.pathname}`
}

function describe(
  { config }: Toolbox,
  { result, place, url, tookMs }: { result: MoveResult; place: string; url: string; tookMs: number },
): Output {
  const { wasDone, tables, rows, sums, brokenSums, isRestored } = result
  const secret = config.secret === null ? secretFile(config.dataFolder) : null
  const seconds = Math.round(tookMs / 100) / 10
  const done = wasDone
    ? `Everything has moved to ${place} already.`
    : `Everything has moved to ${place}: ${rows.toLocaleString('en')} rows of ${tables} tables, ${seconds} s. Both sides are the same: granted ${sums['granted'] ?? 0}, reserved ${sums['reserved'] ?? 0}, used ${sums['used'] ?? 0}.`
  const lines = [
    done,
    ...(brokenSums.length === 0
      ? []
      : [
          `These sums did not hold before, and do not hold now: ${brokenSums.join(', ')} (see onesixty doctor).`,
        ]),
    ...(isRestored
      ? [
          'The embedded database had been put back from a backup: the first start holds what waits (onesixty restore release, cancel or settle).',
        ]
      : []),
    'Now start the server with',
    `  DATABASE_URL=${url}   (the password in PGPASSWORD or a pgpass file)`,
    secret === null
      ? '  ONESIXTY_SECRET as it is'
      : `  ONESIXTY_SECRET set to what ${secret} holds: without it stored passwords cannot be read`,
    `  ONESIXTY_DATA=${config.dataFolder} as before: it tells this node what it did last`,
    'The embedded database stays as it was, and is not served any more.',
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
