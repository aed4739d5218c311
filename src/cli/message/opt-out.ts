import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import {
  addOptOuts,
  type ListedOptOut,
  listOptOuts,
  maxAddedAtOnce,
  removeOptOut,
} from '../../messages/opt-outs/manage-opt-outs.ts'
import { readNumberList } from '../../messages/opt-outs/number-list.ts'
import { createNumberHash, everyForm } from '../../numbers/number-hash.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { readFileOrRefuse } from '../core/read-secrets.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

const common = {
  account: accountOption,
  mode: modeOption('Mode. Default: live.'),
} as const
const numberOption = {
  type: 'text',
  value: 'NUMBER',
  summary: 'Number in E.164, for example +4915112345678. Can be repeated.',
  repeatable: true,
} as const

/** Entries per page of a list. */
const pageSize = 1_000
/** Faults that are listed individually. */
const maxFaultsShown = 20

const list = command({
  summary: 'Lists the opt-outs of an account, newest first.',
  details: 'An erased number is listed by its hash; --number finds it anyway.',
  arguments: [],
  options: { ...common, number: { type: 'text', value: 'NUMBER', summary: 'Only this number, in E.164.' } },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    const recipients = number === undefined ? null : await formsOf(tools, oneNumber(number))
    const rows = await tools.withStorage(async ({ read }) => {
      await requireAccount(read, accountId)
      return listAll(read, { accountId, mode, nowMs: tools.clock.now(), recipients })
    })
    return {
      json: {
        opt_outs: rows.map(({ recipient, isErased, origin, sinceMs, endsAtMs }) => ({
          number: isErased ? null : recipient,
          erased: isErased,
          origin,
          since: rfc3339(sinceMs),
          ends_at: rfc3339OrNull(endsAtMs),
        })),
      },
      text:
        rows.length === 0
          ? 'No opt-outs.'
          : rows
              .map((row) => `${row.recipient}  since ${rfc3339(row.sinceMs)}, by ${originTexts[row.origin]}`)
              .join('\n'),
    }
  },
})

const originTexts = { message: 'the number itself', console: 'the console', command: 'a command' } as const

async function listAll(
  read: CommandStorage['read'],
  asked: { accountId: string; mode: Mode; nowMs: number; recipients: readonly string[] | null },
): Promise<ListedOptOut[]> {
  const rows: ListedOptOut[] = []
  for (;;) {
    const page = await listOptOuts(read, { ...asked, limit: pageSize, after: rows.at(-1) ?? null })
    rows.push(...page)
    if (page.length < pageSize) return rows
  }
}

const add = command({
  summary: 'Adds numbers to the opt-out list. Queued messages to them are canceled.',
  arguments: [],
  options: { ...common, number: numberOption },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    if (number.length === 0) throw new UsageError('Give at least one --number.')
    const counts = await addAll(tools, { accountId, mode, numbers: [...new Set(number.map(oneNumber))] })
    return { json: { ok: true, ...counts }, text: describe(counts) }
  },
})

const importList = command({
  summary: 'Adds a file of numbers to the opt-out list.',
  details:
    'One number per line, or a table: the first column with a number counts. Lines without a number in E.164 are reported and skipped; the others are added. Exit code 1 when lines were skipped.',
  arguments: [],
  options: {
    ...common,
    file: { type: 'text', value: 'PATH', summary: 'The file; - reads standard input.', required: true },
  },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', file } = options
    const text = file === '-' ? await readAll(tools) : await readFileOrRefuse(file)
    const { numbers, faults } = readNumberList(text)
    const counts = await addAll(tools, { accountId, mode, numbers })
    return {
      json: { ok: faults.length === 0, ...counts, faults },
      text: [
        describe(counts),
        ...faults.slice(0, maxFaultsShown).map(({ line, detail }) => `Line ${line}: ${detail}`),
        ...(faults.length > maxFaultsShown ? [`… and ${faults.length - maxFaultsShown} more lines.`] : []),
      ].join('\n'),
      exitCode: faults.length === 0 ? 0 : 1,
    }
  },
})

const remove = command({
  summary: 'Removes numbers from the opt-out list: messages can be sent to them again.',
  details: 'Only with the consent of the recipient. Exit code 1 when a number was not on the list.',
  arguments: [],
  options: { ...common, number: numberOption },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    if (number.length === 0) throw new UsageError('Give at least one --number.')
    const results: { number: string; removed: boolean }[] = []
    for (const recipient of new Set(number.map(oneNumber))) {
      const spellings = await formsOf(tools, recipient)
      const removed = await tools.withStorage(async ({ read, writer }) => {
        await requireAccount(read, accountId)
        return writer.write((tx) =>
          removeOptOut(
            tx,
            { ...byCommand(tools), nowMs: tools.clock.now() },
            { accountId, mode, recipient, spellings },
          ),
        )
      })
      results.push({ number: recipient, removed })
    }
    const ok = results.every(({ removed }) => removed)
    return {
      json: { ok, numbers: results },
      text: results
        .map((each) => `${each.number}  ${each.removed ? 'removed' : 'was not on the list'}`)
        .join('\n'),
      exitCode: ok ? 0 : 1,
    }
  },
})

interface Counts {
  added: number
  known: number
  canceled_messages: number
}

/** Adds page by page, so that a running server never waits long for one. */
async function addAll(
  tools: CommandContext,
  { accountId, mode, numbers }: { accountId: string; mode: Mode; numbers: readonly string[] },
): Promise<Counts> {
  const counts: Counts = { added: 0, known: 0, canceled_messages: 0 }
  await tools.withStorage(async ({ read, writer }) => {
    await requireAccount(read, accountId)
    for (let at = 0; at < numbers.length; at += maxAddedAtOnce) {
      const page = numbers.slice(at, at + maxAddedAtOnce)
      const { added, canceled } = await writer.write(async (tx) =>
        addOptOuts(
          tx,
          { ...byCommand(tools), unit: await takeChange(tx, tools.clock.now()) },
          {
            accountId,
            mode,
            numbers: page,
          },
        ),
      )
      counts.added += added.length
      counts.known += page.length - added.length
      counts.canceled_messages += canceled.filter(({ result }) => result === 'canceled').length
    }
  })
  return counts
}

const byCommand = ({ ids }: CommandContext) => ({ ids, origin: 'command', actor: cliActor }) as const

const describe = ({ added, known, canceled_messages }: Counts): string =>
  `${added} added, ${known} already on the list; ${canceled_messages} scheduled or queued messages canceled.`

/** Reads one number from the command line, as strictly as a send. */
function oneNumber(text: string): string {
  const { numbers, faults } = readNumberList(text)
  const [number] = numbers
  if (number === undefined || number !== text.trim())
    throw new UsageError(
      `--number ${text}: ${faults[0]?.detail ?? 'Must be in E.164, for example +4915112345678.'}`,
    )
  return number
}

const formsOf = async (tools: CommandContext, number: string): Promise<string[]> =>
  everyForm(createNumberHash(await tools.instanceSecret()), number)

async function readAll({ io }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

export const optOutCommands: CommandGroup = {
  summary: 'Opt-out list of an account: numbers that it must not send to.',
  commands: { list, add, import: importList, remove },
}
