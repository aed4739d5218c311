import { resolve } from 'node:path'
import { isThere } from '../../process/durable-file.ts'
import { replaceDatabase } from '../../storage/open/backup.ts'
import { compareMigrations, type MigrationState } from '../../storage/seam/compare-migrations.ts'
import { findDamage, openDatabaseFile } from '../../storage/sqlite/database-file.ts'
import { nearestName } from '../../runtime/nearest-name.ts'
import { releaseHeld } from '../../storage/instance/epoch.ts'
import { lockFolder } from '../../storage/instance/folder-lock.ts'
import { command, type CommandGroup, type Output } from '../core/command.ts'
import { CommandError } from '../core/command-errors.ts'
import { endHeld, type HeldEnd } from '../message/message-ports.ts'
import { requireEmbedded, type CommandContext } from '../core/command-context.ts'

const decide =
  'Messages that were queued in the backup may have been sent since. The next start holds them until you decide: restore release, cancel or settle.'

const restoreFile = command({
  summary: 'Restores a backup. Stop the server first. The current database is kept.',
  details: decide,
  arguments: [{ name: 'file', summary: 'A backup made by the command backup.' }],
  options: {},
  async run(tools, { arguments: [given = ''] }) {
    const file = resolve(given)
    const { dataFolder } = tools.config
    requireEmbedded(
      tools.config,
      'Restore it with the tools of PostgreSQL, see docs/scaling.md. The next start detects the restore.',
    )
    await checkBackup(file, given)
    const lock = await lockFolder(dataFolder, { nowMs: tools.clock.now(), purpose: 'onesixty restore' })
    try {
      const { movedTo } = await replaceDatabase(dataFolder, file, tools.clock.now())
      const kept =
        movedTo === null ? 'There was no database before.' : `The previous database is kept as ${movedTo}.`
      return {
        json: { restored: file, previous_database: movedTo },
        text: `Restored ${file}. ${kept}\n${decide}`,
      }
    } finally {
      lock.release()
    }
  },
})

/** Throws for a damaged file, a file that is not a database of onesixty, and one of a newer version. */
async function checkBackup(file: string, given: string): Promise<void> {
  if (!(await isThere(file))) {
    const meant = nearestName(given, Object.keys(decisions))
    const hint = meant === null ? '' : ` Did you mean 'restore ${meant}'?`
    throw new CommandError('not_a_backup', `No such file: ${file}.${hint}`)
  }
  const state = await examineBackup(file).catch((error: unknown) => {
    throw new CommandError(
      'not_a_backup',
      `Cannot restore ${file}: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  if (state.applied.length === 0)
    throw new CommandError('not_a_backup', `${file} is not a database of onesixty.`)
  if (state.unknown.length > 0 || state.changed.length > 0) {
    throw new CommandError(
      'newer_backup',
      `${file} was made by a newer version of onesixty. Use that version.`,
    )
  }
}

async function examineBackup(file: string): Promise<MigrationState> {
  const opened = openDatabaseFile(file)
  try {
    const damage = await findDamage(opened.db, true)
    if (damage.length > 0) throw new Error(damage.join(' '))
    return await compareMigrations(opened.db, 'sqlite')
  } finally {
    await opened.close()
  }
}

const release = command({
  summary: 'Sends held messages that have not expired. Those that were sent after the backup are sent twice.',
  arguments: [],
  options: {},
  async run(tools) {
    const messages = await tools.withStorage(releaseHeld)
    return { json: { action: 'release', messages }, text: `Released ${messages} messages.` }
  },
})

async function end(tools: CommandContext, action: HeldEnd, done: string): Promise<Output> {
  const { ended, isMoreHeld } = await tools.withStorage((storage) =>
    endHeld(storage, action, () => tools.clock.now()),
  )
  const more = isMoreHeld
    ? ' Other messages were in flight when they were held: run the command again in a minute.'
    : ''
  return {
    json: { action, messages: ended, is_more_held: isMoreHeld },
    text: `${ended} messages are ${done}. Their held SMS are released.${more}`,
  }
}

const decisions: CommandGroup['commands'] = {
  release,
  cancel: command({
    summary: 'Cancels held messages without sending them.',
    arguments: [],
    options: {},
    run: (tools) => end(tools, 'cancel', 'canceled'),
  }),
  settle: command({
    summary:
      'Marks held messages as unconfirmed: they may have been sent. A late receipt still corrects the status.',
    arguments: [],
    options: {},
    run: (tools) => end(tools, 'settle', 'unconfirmed'),
  }),
}

export const restoreCommands: CommandGroup = {
  summary: 'Restores a backup; releases, cancels or settles the messages that it holds.',
  commands: decisions,
  otherwise: restoreFile,
}
