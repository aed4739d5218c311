import { ownCommand } from '../../process/own-command.ts'
import {
  checkExamples,
  listProviders,
  ownDeclarationText,
  providerAddresses,
  readDeclaration,
  showRequest,
} from '../../connectors/providers.ts'
import type { Fault } from '../../runtime/errors.ts'
import type { CommandContext } from '../core/command-context.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { readPairs } from '../core/read-pairs.ts'
import { readFileOrRefuse } from '../core/read-secrets.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'
import { linesOfJson } from './json-lines.ts'
import { exampleOf, linesOfRequest } from '../../connectors/shown-request.ts'

const list = command({
  summary: 'Lists the providers that come with the program, and what each can do.',
  arguments: [],
  options: {},
  ignoresSettings: true,
  async run() {
    const providers = listProviders()
    return {
      json: { providers },
      text: providers
        .map(({ name, title, does, tried }) =>
          [
            `${name}  ${title}: ${does.join(', ') || 'neither receipts nor received messages'}`,
            tried === null
              ? 'written from its documents, not tried at the service'
              : `tried at the service on ${tried}`,
          ].join('; '),
        )
        .join('\n'),
    }
  },
})

const show = command({
  summary: 'Prints the declaration of a provider, as a start for one of your own.',
  arguments: [{ name: 'name', summary: 'A name that the command list prints, or the ID of a device: dev_…' }],
  options: {},
  async run(tools, { arguments: [name = ''] }) {
    const text = name.startsWith('dev_') ? await textOfDevice(tools, name) : ownDeclarationText(name)
    if (text === null) {
      const known = listProviders().map((provider) => provider.name)
      throw new CommandError('not_found', `There is no provider '${name}'; there are ${known.join(', ')}.`)
    }
    return { json: JSON.parse(text) as unknown, text: text.trimEnd() }
  },
})

const check = command({
  summary:
    'Checks a declaration and every example in it. With --to and --text it also shows the request that would leave.',
  details: 'Nothing is sent, and no secret is needed: the request shows their names.',
  arguments: [
    {
      name: 'file',
      summary: 'A declaration in JSON, or the name of a provider that comes with the program.',
    },
  ],
  options: {
    to: { type: 'text', value: 'NUMBER', summary: 'Recipient of the shown request, in E.164.' },
    text: { type: 'text', value: 'TEXT', summary: 'Text of the shown request.' },
    from: { type: 'text', value: 'SENDER', summary: 'Sender of the shown request. Default: none.' },
    set: { type: 'text', value: 'KEY=VALUE', summary: 'A setting of the declaration.', repeatable: true },
  },
  ignoresSettings: true,
  async run({ clock }, { options, arguments: [file = ''] }) {
    const { to, text, from = null, set } = options
    if ((to === undefined) !== (text === undefined)) throw new UsageError('Give --to and --text together.')
    const source = ownDeclarationText(file) ?? (await readFileOrRefuse(file))
    const read = readDeclaration(source)
    if ('faults' in read) return faulty(source, read.faults)
    const examples = checkExamples(read.declaration)
    const wrong = examples.filter(({ fault }) => fault !== null)
    const request =
      to === undefined || text === undefined
        ? null
        : showRequest(read.declaration, {
            settings: readPairs(set),
            submission: exampleOf({ to, from, text }),
            nowMs: clock.now(),
          })
    const ok = wrong.length === 0 && typeof request !== 'string'
    return {
      json: { ok, name: read.declaration.name, examples, request },
      text: [
        ...(wrong.length === 0 ? [`ok  ${read.declaration.name}: ${examples.length} examples`] : []),
        ...wrong.map(({ title, fault }) => `FAIL  example '${title}': ${fault}`),
        ...(request === null
          ? []
          : typeof request === 'string'
            ? [`FAIL  ${request}`]
            : linesOfRequest(request)),
      ].join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

const urls = command({
  summary: 'Prints the addresses of this server that the provider of a device calls, to set them there.',
  details: `Who knows them can report on messages, where the provider signs nothing: \`${ownCommand()} device set --new-hook\` makes new ones.`,
  arguments: [deviceArgument],
  options: {},
  async run(tools, { arguments: [deviceId = ''] }) {
    const { settings } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
    const { publicUrl } = tools.config
    if (publicUrl === null)
      throw new CommandError(
        'no_public_url',
        'Set ONESIXTY_PUBLIC_URL to an address that the provider reaches.',
      )
    const addresses = providerAddresses(await tools.instanceSecret(), { publicUrl, deviceId, settings })
    if (addresses === null)
      throw new CommandError('not_a_provider', `Device ${deviceId} is no messaging service.`)
    const { receipts, received } = addresses
    return {
      json: { receipts, received },
      text: [
        receipts === null ? 'The provider calls about no receipts.' : `receipts           ${receipts}`,
        received === null ? 'The provider delivers no messages.' : `received messages  ${received}`,
      ].join('\n'),
    }
  },
})

/** Returns the declaration of a device as it is stored; null where its kind has none. */
async function textOfDevice(tools: CommandContext, deviceId: string): Promise<string | null> {
  const { settings } = await tools.withStorage(({ read }) => findDevice(read, deviceId))
  return settings['declaration'] ?? ownDeclarationText(settings['provider'] ?? '')
}

function faulty(source: string, faults: readonly Fault[]) {
  const lines = safeLines(source)
  const placed = faults.map((fault) => ({ ...fault, line: lineOf(lines, fault.pointer) }))
  return {
    json: { ok: false, faults: placed },
    text: placed
      .map(({ line, pointer, detail }) => `FAIL  line ${line}, ${pointer || 'the declaration'}: ${detail}`)
      .join('\n'),
    exitCode: 1 as const,
  }
}

function safeLines(source: string): ReadonlyMap<string, number> {
  try {
    JSON.parse(source)
  } catch {
    return new Map()
  }
  return linesOfJson(source)
}

/** What is missing has the line of what it is missing from. */
function lineOf(lines: ReadonlyMap<string, number>, pointer: string | undefined): number {
  for (let place = pointer ?? ''; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const line = lines.get(place)
    if (line !== undefined) return line
    if (place === '') return 1
  }
}

export const providerCommands: CommandGroup = {
  summary: 'Declarations of messaging services over HTTP.',
  commands: { list, show, check, urls },
}
