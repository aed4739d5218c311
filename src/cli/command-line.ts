import { ConfigError, readConfig } from '../config.ts'
import { Refusal } from '../runtime/errors.ts'
import { FolderLockedError } from '../storage/instance/folder-lock.ts'
import { NodeNameTakenError } from '../storage/instance/nodes.ts'
import { MovedError } from '../storage/instance/moved.ts'
import { StorageError } from '../storage/seam/dialect.ts'
import { damagedSentence, isDamage } from '../storage/seam/damage.ts'
import { UnusableError } from '../storage/seam/unusable-error.ts'
import type { Command, CommandGroup } from './core/command.ts'
import { CommandError, doesNotFit, mustBeFixed, UnfitError, UsageError } from './core/command-errors.ts'
import { helpOfCommand, helpOfGroup, table } from './core/help.ts'
import { guidePath } from '../process/guides.ts'
import { nearestName } from '../runtime/nearest-name.ts'
import { parseOptions } from './core/parse-options.ts'
import { roles } from '../settings/roles.ts'
import { type CommandIo, createCommandContext } from './core/command-context.ts'

/** Runs the server until it stops; returns its exit code. main.ts passes it: no other module imports everything. */
export type Serve = (options: { roles?: string }) => Promise<number>

interface Entry {
  summary: string
  load: () => Promise<Command | CommandGroup>
}

/** All commands, loaded on first use: a start loads only what it needs. */
const entries: Readonly<Record<string, Entry>> = {
  serve: { summary: 'Run the server. This is the default command.', load: async () => serveCommand },
  account: {
    summary:
      'Accounts: create, grant, limit, countries, quiet-hours, keywords, list, suspend, reactivate, close, erase.',
    load: async () => (await import('./account/account.ts')).accountCommands,
  },
  key: {
    summary: 'API keys: create, list, revoke.',
    load: async () => (await import('./access/key.ts')).keyCommands,
  },
  user: {
    summary: 'Users of the console: reset-link, email-link.',
    load: async () => (await import('./access/user.ts')).userCommands,
  },
  device: {
    summary: 'Devices: add, list, set, connect, find, discover, test, plan, receipts, unread, same, remove.',
    load: async () => (await import('./device/device.ts')).deviceCommands,
  },
  canary: {
    summary: 'Canaries, test messages between devices at an interval: add, list, show, remove.',
    load: async () => (await import('./device/canary.ts')).canaryCommands,
  },
  group: {
    summary: 'Groups of devices, such as the hosts of one carrier: add, list, show, set, remove.',
    load: async () => (await import('./device/group.ts')).groupCommands,
  },
  provider: {
    summary: 'Messaging services over HTTP, by declaration: list, show, check.',
    load: async () => (await import('./device/provider.ts')).providerCommands,
  },
  route: {
    summary: 'Rules of routes: add, list, show, set, move, remove, apply, explain.',
    load: async () => (await import('./route/route.ts')).routeCommands,
  },
  operator: {
    summary: 'API tokens of the operator API: token create, list, revoke.',
    load: async () => (await import('./access/operator.ts')).operatorCommands,
  },
  send: {
    summary: 'Send an SMS through the running server.',
    load: async () => (await import('./message/send.ts')).sendCommand,
  },
  message: {
    summary: 'Messages: show, cancel, move, erase.',
    load: async () => (await import('./message/message.ts')).messageCommands,
  },
  webhook: {
    summary:
      'Webhook endpoints: add, list, test, replay, rotate, end-former-secrets, enable, disable, remove.',
    load: async () => (await import('./webhook/webhook.ts')).webhookCommands,
  },
  'opt-out': {
    summary: 'Opt-out list: list, add, import, remove.',
    load: async () => (await import('./message/opt-out.ts')).optOutCommands,
  },
  certificate: {
    summary: 'Certificates for phones: for-phones, status.',
    load: async () => (await import('./server/certificate.ts')).certificateCommands,
  },
  reach: {
    summary: 'Check whether phones reach this server: by this machine, then by a phone.',
    load: async () => (await import('./server/reach.ts')).reachCommand,
  },
  doctor: {
    summary: 'Check this instance: machine, files, database and sums.',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  healthy: {
    summary: 'Check whether the server on this machine accepts requests.',
    load: async () => (await import('./server/healthy.ts')).healthyCommand,
  },
  backup: {
    summary: 'Copy the database to a file while the server runs.',
    load: async () => (await import('./database/backup.ts')).backupCommand,
  },
  restore: {
    summary: 'Restore a backup; release, cancel or settle the messages that it holds.',
    load: async () => (await import('./database/restore.ts')).restoreCommands,
  },
  secret: {
    summary: 'The secret that encrypts stored passwords: accept.',
    load: async () => (await import('./database/secret.ts')).secretCommands,
  },
  migrate: {
    summary: 'Upgrade the database schema.',
    load: async () => (await import('./database/migrate.ts')).migrateCommand,
  },
  move: {
    summary: 'Move all data from the embedded database to PostgreSQL.',
    load: async () => (await import('./database/move.ts')).moveCommand,
  },
  version: {
    summary: 'Print the version, like onesixty --version.',
    load: async () => (await import('./server/version.ts')).versionCommand,
  },
}

const serveCommand: Command = {
  summary: 'Runs the server until SIGTERM or Ctrl-C.',
  details: `Settings are read from the environment; a running server lists them at ${guidePath('configuration')}. A second server on the same data folder does not start.`,
  arguments: [],
  options: {
    roles: {
      type: 'text',
      value: 'LIST',
      summary: `Roles of this server, separated by commas: ${roles.join(', ')}. Default: all. Fewer roles need PostgreSQL, and other servers for the rest.`,
    },
  },
  run: () => Promise.reject(new CommandError('not_here', 'This entry point cannot run the server.')),
}

/**
 * Runs one command line (without node and script) and returns the exit code: 0 success, 1 failure, 2 wrong usage, 65
 * where a database does not fit the version that `migrate --check` was asked about, 78 where the operator must fix
 * something first. With --json it prints exactly one JSON document, on standard output after a success and on standard
 * error after a failure.
 */
export async function runCommandLine(argv: readonly string[], io: CommandIo, serve?: Serve): Promise<number> {
  const json = argv.includes('--json')
  try {
    const found = await findCommand(argv.length === 0 ? ['serve'] : argv)
    if ('help' in found) return print(io, found.help)
    const { name, command, rest } = found
    const line = parseOptions(command, rest)
    if (line.help) return print(io, helpOfCommand(name, command, await command.moreHelp?.(rest)))
    if (command === serveCommand && serve !== undefined) return await serve(line.options)
    const tools = createCommandContext(io, readConfig(command.ignoresSettings ? {} : io.env))
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

/** Finds the command that the words after `name` select; groups can be nested. */
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
  if (flag !== null) return new UsageError(`Unknown option ${word} of ${name}. Did you mean ${flag}?`)
  if (word === '' || word.startsWith('-'))
    return new UsageError(`Missing command after ${name}. Available: ${known.join(', ')}.`)
  const meant = nearestName(word, known)
  const hint = meant === null ? `Available: ${known.join(', ')}.` : `Did you mean '${meant}'?`
  const whole = `${name} ${word}`.replace('onesixty ', '')
  return new UsageError(`Unknown command '${whole}'. ${hint}`)
}

const overview = (): string =>
  [
    'Usage: onesixty <command>',
    'onesixty sends SMS: one HTTP request, one SMS, exact money.',
    table(
      'Commands:',
      Object.entries(entries).map(([word, { summary }]) => [word, summary]),
    ),
    "Run 'onesixty <command> --help' for details.",
    `Settings are read from the environment (ONESIXTY_DATA and others); a running server lists them at ${guidePath('configuration')}.`,
    'Exit codes: 0 success, 1 failure, 2 wrong usage, 65 the database does not fit (migrate --check), 78 the settings, the data folder or the database must be fixed first.',
  ].join('\n\n')

function print(io: CommandIo, text: string): 0 {
  io.stdout.write(`${text}\n`)
  return 0
}

type ExitCode = 1 | 2 | typeof doesNotFit | typeof mustBeFixed

/** Prints the error as text or JSON and returns the exit code. */
function explain(io: CommandIo, json: boolean, error: unknown): ExitCode {
  const { code, message, exitCode } = describe(error)
  if (json) io.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  else
    io.stderr.write(
      `onesixty: ${message}\n${exitCode === 2 ? 'Add --help for the available options.\n' : ''}`,
    )
  return exitCode
}

function describe(error: unknown): { code: string; message: string; exitCode: ExitCode } {
  if (error instanceof UsageError) return { code: 'usage', message: error.message, exitCode: 2 }
  if (error instanceof Refusal) return { code: error.code, message: error.message, exitCode: 1 }
  if (error instanceof CommandError) return { code: error.code, message: error.message, exitCode: 1 }
  if (error instanceof UnfitError) return { code: 'unfit', message: error.message, exitCode: doesNotFit }
  if (error instanceof ConfigError)
    return { code: 'configuration', message: error.message, exitCode: mustBeFixed }
  if (error instanceof FolderLockedError || error instanceof NodeNameTakenError)
    return { code: 'in_use', message: error.message, exitCode: 1 }
  if (error instanceof UnusableError)
    return { code: 'unusable', message: error.message, exitCode: mustBeFixed }
  if (error instanceof MovedError) return { code: 'moved', message: error.message, exitCode: mustBeFixed }
  if (error instanceof StorageError) {
    const isDamaged = isDamage(error.fault)
    const code = isDamaged ? 'storage_damaged' : `storage_${error.fault}`
    return { code, message: storageSentence(error), exitCode: isDamaged ? mustBeFixed : 1 }
  }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error), exitCode: 1 }
}

function storageSentence(error: StorageError): string {
  if (error.fault === 'busy')
    return 'Another process kept the database locked for too long. Nothing was changed. Try again.'
  return isDamage(error.fault) ? damagedSentence(error) : `Database error: ${error.message}.`
}
