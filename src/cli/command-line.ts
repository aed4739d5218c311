import { ConfigError, readConfig } from '../config.ts'
import { Refusal } from '../errors.ts'
import { FolderLockedError } from '../storage/folder-lock.ts'
import { NodeNameTakenError } from '../storage/nodes.ts'
import { MovedError } from '../storage/moved.ts'
import { StorageError } from '../storage/dialect.ts'
import { damagedSentence, isDamage } from '../storage/damage.ts'
import { UnusableError } from '../storage/unusable.ts'
import type { Command, CommandGroup } from './command.ts'
import { CommandError, mustBePutRight, UsageError } from './command-errors.ts'
import { helpOfCommand, helpOfGroup, table } from './help.ts'
import { nearestName } from '../nearest-name.ts'
import { parseOptions } from './parse-options.ts'
import { roles } from '../roles.ts'
import { type CommandIo, createToolbox } from './toolbox.ts'

/** Runs `serve` until it has stopped and gives its exit code; supplied by main.ts, the only one who may know the whole program. */
export type Serve = (options: { roles?: string }) => Promise<number>

interface Entry {
  summary: string
  load: () => Promise<Command | CommandGroup>
}

/** Every word that may follow `onesixty`. Loaded when it is used, so that a start pays for nothing else. */
const entries: Readonly<Record<string, Entry>> = {
  serve: { summary: 'Run the service; what happens without a command.', load: async () => serveCommand },
  account: {
    summary:
      'Accounts: create, grant, limit, countries, quiet-hours, keywords, list, suspend, reactivate, close, erase.',
    load: async () => (await import('./account.ts')).accountCommands,
  },
  key: {
    summary: 'API keys: create, list, revoke.',
    load: async () => (await import('./key.ts')).keyCommands,
  },
  user: {
    summary: 'People who sign in to the console: reset-link.',
    load: async () => (await import('./user.ts')).userCommands,
  },
  device: {
    summary: 'Sending devices: add, list, set, connect, test, remove.',
    load: async () => (await import('./device.ts')).deviceCommands,
  },
  group: {
    summary: 'Groups of devices, such as the hosts of one carrier: add, list, remove.',
    load: async () => (await import('./group.ts')).groupCommands,
  },
  operator: {
    summary: 'The operator’s interface for programs: token create, list, revoke.',
    load: async () => (await import('./operator.ts')).operatorCommands,
  },
  send: {
    summary: 'Send an SMS through the running server.',
    load: async () => (await import('./send.ts')).sendCommand,
  },
  message: {
    summary: 'Messages: cancel, move, erase.',
    load: async () => (await import('./message.ts')).messageCommands,
  },
  webhook: {
    summary: 'Webhook endpoints of an account: add, list, test, replay, rotate, enable, disable, remove.',
    load: async () => (await import('./webhook.ts')).webhookCommands,
  },
  'opt-out': {
    summary: 'Numbers that are not written to: list, add, import, remove.',
    load: async () => (await import('./opt-out.ts')).optOutCommands,
  },
  doctor: {
    summary: 'Check this installation: machine, files, database, and every sum.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  backup: {
    summary: 'Copy the database to a file while the server runs.',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    summary: 'Put a backup in place, and decide what becomes of what it still held.',
    load: async () => (await import('./restore.ts')).restoreCommands,
  },
  secret: {
    summary: 'The secret that seals stored passwords: accept.',
    load: async () => (await import('./secret.ts')).secretCommands,
  },
  migrate: {
    summary: 'Bring the schema of the database up to date.',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  move: {
    summary: 'Move everything from the embedded database to PostgreSQL.',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  version: {
    summary: 'Say which version this is; so does onesixty --version.',
    load: async () => (await import('./version.ts')).versionCommand,
  },
}

const serveCommand: Command = {
  summary: 'Runs the service until it is told to stop (SIGTERM, Ctrl-C).',
  details:
    'Settings come from the environment; docs/configuration.md lists them. A second server on the same data folder refuses to start.',
  arguments: [],
  options: {
    roles: {
      type: 'text',
      value: 'LIST',
      says: `What this server does, of ${roles.join(', ')}, separated by commas; all of it when left out. Less takes PostgreSQL, and other servers for the rest.`,
    },
  },
  run: () => Promise.reject(new CommandError('not_here', 'This entry point does not serve.')),
}

/**
 * Runs one command line (without node and script) and gives the exit code: 0 done, 1 failed, 2 wrong usage, 78 where somebody must put something right
 * first. With --json it prints exactly one JSON document, on standard output when it succeeded, on standard error when not.
 */
export async function runCommandLine(argv: readonly string[], io: CommandIo, serve?: Serve): Promise<number> {
  const json = argv.includes('--json')
  try {
    const found = await findCommand(argv.length === 0 ? ['serve'] : argv)
    if ('help' in found) return print(io, found.help)
    const { name, command, rest } = found
    const line = parseOptions(command, rest)
    if (line.help) return print(io, helpOfCommand(name, command, await command.moreHelp?.()))
    if (command === serveCommand && serve !== undefined) return await serve(line.options)
    const tools = createToolbox(io, readConfig(command.ignoresSettings ? {} : io.env))
    const output = await command.run(tools, {
      options: line.options as never,
      arguments: line.arguments,
      json: line.json,
    })
    print(io, line.json ? JSON.stringify(output.json, null, 2) : output.text)
    return output.exitCode ?? 0
  } catch (error) {
    return explain(io, json, error)
  }
}

type Found = { help: string } | { name: string; command: Command; rest: readonly string[] }

async function findCommand([first = '', ...rest]: readonly string[]): Promise<Found> {
  if (first === 'help' && rest.length > 0) return findCommand([...rest, '--help'])
  if (first === '--help' || first === '-h' || first === 'help') return { help: overview() }
  const word = first === '--version' || first === '-v' ? 'version' : first
  const entry = Object.hasOwn(entries, word) ? entries[word] : undefined
  if (entry === undefined) throw unknownWord('onesixty', word, Object.keys(entries))
  return findUnder(`onesixty ${word}`, await entry.load(), rest)
}

/** What is meant by the words behind `name`; a group may stand in a group. */
function findUnder(name: string, loaded: Command | CommandGroup, rest: readonly string[]): Found {
  if (!('commands' in loaded)) return { name, command: loaded, rest }
  const [next = ''] = rest
  const found = Object.hasOwn(loaded.commands, next) ? loaded.commands[next] : undefined
  if (found !== undefined) return findUnder(`${name} ${next}`, found, rest.slice(1))
  if (next === '--help' || next === '-h') return { help: helpOfGroup(name, loaded) }
  if (loaded.otherwise !== undefined) return { name, command: loaded.otherwise, rest }
  throw unknownWord(name, next, Object.keys(loaded.commands))
}

function unknownWord(name: string, word: string, known: readonly string[]): UsageError {
  const flag = word.startsWith('--')
    ? nearestName(word, name === 'onesixty' ? ['--help', '--version'] : ['--help'])
    : null
  if (flag !== null) return new UsageError(`There is no option ${word} after ${name}. Did you mean ${flag}?`)
  if (word === '' || word.startsWith('-'))
    return new UsageError(`A command is missing after ${name}: one of ${known.join(', ')}.`)
  const meant = nearestName(word, known)
  const hint = meant === null ? `There are ${known.join(', ')}.` : `Did you mean '${meant}'?`
  return new UsageError(`There is no command '${word}' after ${name}. ${hint}`)
}

const overview = (): string =>
  [
    'Usage: onesixty <command>',
    'onesixty sends SMS: one HTTP request, one SMS, exact money.',
    table(
      'Commands:',
      Object.entries(entries).map(([word, { summary }]) => [word, summary]),
    ),
    'Each of them explains itself: onesixty <command> --help',
    'Settings come from the environment (ONESIXTY_DATA and others, see docs/configuration.md).',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 78 the settings, the data folder or the database must be put right first.',
  ].join('\n\n')

function print(io: CommandIo, text: string): 0 {
  io.stdout.write(`${text}\n`)
  return 0
}

type ExitCode = 1 | 2 | typeof mustBePutRight

/** Says what went wrong in the form that was asked for. */
function explain(io: CommandIo, json: boolean, error: unknown): ExitCode {
  const { code, message, exitCode } = describe(error)
  if (json) io.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  else
    io.stderr.write(`onesixty: ${message}\n${exitCode === 2 ? 'Add --help to see what is possible.\n' : ''}`)
  return exitCode
}

function describe(error: unknown): { code: string; message: string; exitCode: ExitCode } {
  if (error instanceof UsageError) return { code: 'usage', message: error.message, exitCode: 2 }
  if (error instanceof Refusal) return { code: error.code, message: error.message, exitCode: 1 }
  if (error instanceof CommandError) return { code: error.code, message: error.message, exitCode: 1 }
  if (error instanceof ConfigError)
    return { code: 'configuration', message: error.message, exitCode: mustBePutRight }
  if (error instanceof FolderLockedError || error instanceof NodeNameTakenError)
    return { code: 'in_use', message: error.message, exitCode: 1 }
  if (error instanceof UnusableError)
    return { code: 'unusable', message: error.message, exitCode: mustBePutRight }
  if (error instanceof MovedError) return { code: 'moved', message: error.message, exitCode: mustBePutRight }
  if (error instanceof StorageError) {
    const isDamaged = isDamage(error.fault)
    const code = isDamaged ? 'storage_damaged' : `storage_${error.fault}`
    return { code, message: storageSentence(error), exitCode: isDamaged ? mustBePutRight : 1 }
  }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error), exitCode: 1 }
}

function storageSentence(error: StorageError): string {
  if (error.fault === 'busy')
    return 'Another process kept the database busy for too long. Nothing was changed; try again.'
  return isDamage(error.fault) ? damagedSentence(error) : `The database refused: ${error.message}.`
}
