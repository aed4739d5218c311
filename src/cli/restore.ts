import { resolve } from 'node:path'
import { isThere } from '../durable-file.ts'
import { replaceDatabase } from '../storage/backup.ts'
import { compareMigrations, type MigrationState } from '../storage/compare-migrations.ts'
import { findDamage, openDatabaseFile } from '../storage/database-file.ts'
import { nearestName } from '../nearest-name.ts'
import { releaseHeld } from '../storage/epoch.ts'
import { lockFolder } from '../storage/folder-lock.ts'
import { command, type CommandGroup, type Output } from './command.ts'
import { CommandError } from './command-errors.ts'
import { endHeld, type HeldEnd } from './message-ports.ts'
import { requireEmbedded, type Toolbox } from './toolbox.ts'

const decide =
  'What waited when the backup was made may have been sent since, so the next start holds it back. Decide then: restore release, cancel or settle.'

const restoreFile = command({
  summary:
    'Puts a backup in the place of the database; the server must be stopped. The present database is kept.',
  details: decide,
  arguments: [{ name: 'file', says: 'A copy that onesixty backup made.' }],
  options: {},
  async run(tools, { arguments: [given = ''] }) {
    const file = resolve(given)
    const { dataFolder } = tools.config
    requireEmbedded(
      tools.config,
      'Restore it with the tools of PostgreSQL, as docs/scaling.md says; the next start notices.',
    )
    await checkBackup(file, given)
    const lock = await lockFolder(dataFolder, { nowMs: tools.clock.now(), purpose: 'onesixty restore' })
    try {
      const { movedTo } = await replaceDatabase(dataFolder, file, tools.clock.now())
      const kept =
        movedTo === null ? 'There was no database before.' : `The database before is kept as ${movedTo}.`
      return {
        json: { restored: file, previous_database: movedTo },
        text: `${file} is in place. ${kept}\n${decide}`,
      }
    } finally {
      lock.release()
    }
  },
})

/** Refuses what is no sound database of onesixty, or of a newer one. */
async function checkBackup(file: string, given: string): Promise<void> {
  if (!(await isThere(file))) {
    const meant = nearestName(given, Object.keys(decisions))
    const hint = meant === null ? '' : ` Did you mean 'restore ${meant}'?`
    throw new CommandError('not_a_backup', `There is no file ${file}.${hint}`)
  }
  const state = await examineBackup(file).catch((error: unknown) => {
    throw new CommandError(
      'not_a_backup',
      `${file} cannot be restored: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  if (state.applied.length === 0)
    throw new CommandError('not_a_backup', `${file} is no database of onesixty.`)
  if (state.unknown.length > 0 || state.changed.length > 0) {
    throw new CommandError(
      'newer_backup',
      `${file} was made by another version of onesixty. Use that version.`,
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
  summary:
    'Sends what a restore holds back, unless its validity has ended; what was sent after the backup goes twice.',
  arguments: [],
  options: {},
  async run(tools) {
    const messages = await tools.withStorage(releaseHeld)
    return { json: { action: 'release', messages }, text: `${messages} messages are released.` }
  },
})

async function end(tools: Toolbox, action: HeldEnd, done: string): Promise<Output> {
  const { ended, isMoreHeld } = await tools.withStorage((storage) =>
    endHeld(storage, action, () => tools.clock.now()),
  )
  const more = isMoreHeld
    ? ' Others were being handed over when they were held: run it again in a minute.'
    : ''
  return {
    json: { action, messages: ended, is_more_held: isMoreHeld },
    text: `${ended} messages are ${done}; their holds are released.${more}`,
  }
}

const decisions: CommandGroup['commands'] = {
  release,
  cancel: command({
    summary: 'Cancels what a restore holds back: nothing of it is sent.',
    arguments: [],
    options: {},
    run: (tools) => end(tools, 'cancel', 'canceled'),
  }),
  settle: command({
    summary:
      'Calls what a restore holds back unconfirmed: it may or may not have been sent; a late receipt still corrects it.',
    arguments: [],
    options: {},
    run: (tools) => end(tools, 'settle', 'unconfirmed'),
  }),
}

export const restoreCommands: CommandGroup = {
  summary: 'Puts a backup in place, and decides what becomes of what it still held.',
  commands: decisions,
  otherwise: restoreFile,
}
