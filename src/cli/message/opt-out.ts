import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { notBelow } from '../../messages/core/history-floor.ts'
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

const whose = {
  account: { type: 'text', value: 'ACCOUNT', says: 'Whose they are: acc_…', required: true },
  mode: { type: 'text', value: 'MODE', says: 'Live when left out.', choices: ['live', 'test'] },
} as const
const named = {
  type: 'text',
  value: 'NUMBER',
  says: 'In E.164: +4915112345678; may be repeated.',
  repeatable: true,
} as const

/** What one page of a list holds. */
const pageSize = 1_000
/** Faults that are shown one by one. */
const maxFaultsShown = 20

const list = command({
  summary: 'Shows the numbers that an account must not write to, the newest first.',
  details: 'A number that was erased stands under its hash, and is found by --number all the same.',
  arguments: [],
  options: { ...whose, number: { type: 'text', value: 'NUMBER', says: 'This number alone, in E.164.' } },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    const recipients = number === undefined ? null : await spellingsOf(tools, oneNumber(number))
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
          ? 'None.'
          : rows
              .map((row) => `${row.recipient}  since ${rfc3339(row.sinceMs)}, by ${says[row.origin]}`)
              .join('\n'),
    }
  },
})

const says = { message: 'the number itself', console: 'the console', command: 'a command' } as const

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
  summary: 'Stores that numbers must not be written to; what waits for them is canceled.',
  arguments: [],
  options: { ...whose, number: named },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    if (number.length === 0) throw new UsageError('Name a number with --number.')
    const counts = await addAll(tools, { accountId, mode, numbers: [...new Set(number.map(oneNumber))] })
    return { json: { ok: true, ...counts }, text: linesOf(counts) }
  },
})

const importList = command({
  summary: 'Stores a list of numbers that must not be written to.',
  details:
    'One number a line, or a table of which the first column that holds a number counts. Lines without a number in E.164 are named and left out; the others are stored. Exits with 1 when there were such lines.',
  arguments: [],
  options: {
    ...whose,
    file: { type: 'text', value: 'PATH', says: 'The list; - reads standard input.', required: true },
  },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', file } = options
    const text = file === '-' ? await readAll(tools) : await readFileOrRefuse(file)
    const { numbers, faults } = readNumberList(text)
    const counts = await addAll(tools, { accountId, mode, numbers })
    return {
      json: { ok: faults.length === 0, ...counts, faults },
      text: [
        linesOf(counts),
        ...faults.slice(0, maxFaultsShown).map(({ line, detail }) => `Line ${line}: ${detail}`),
        ...(faults.length > maxFaultsShown ? [`… and ${faults.length - maxFaultsShown} more lines.`] : []),
      ].join('\n'),
      exitCode: faults.length === 0 ? 0 : 1,
    }
  },
})

const remove = command({
  summary: 'Takes opt-outs away: the numbers may be written to again.',
  details:
    'Only with the consent of whoever has the number. Exits with 1 when one of them had not opted out.',
  arguments: [],
  options: { ...whose, number: named },
  async run(tools, { options }) {
    const { account: accountId, mode = 'live', number } = options
    if (number.length === 0) throw new UsageError('Name a number with --number.')
    const results: { number: string; removed: boolean }[] = []
    for (const recipient of new Set(number.map(oneNumber))) {
      const spellings = await spellingsOf(tools, recipient)
      const removed = await tools.withStorage(async ({ read, writer }) => {
        await requireAccount(read, accountId)
        return writer.write((tx) =>
          removeOptOut(tx, byCommand(tools, tools.clock.now()), { accountId, mode, recipient, spellings }),
        )
      })
      results.push({ number: recipient, removed })
    }
    const ok = results.every(({ removed }) => removed)
    return {
      json: { ok, numbers: results },
      text: results
        .map((each) => `${each.number}  ${each.removed ? 'may be written to again' : 'had not opted out'}`)
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

/** Page by page, so that a running server never waits long for one. */
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
        addOptOuts(tx, byCommand(tools, await notBelow(tx, tools.clock.now())), {
          accountId,
          mode,
          numbers: page,
        }),
      )
      counts.added += added.length
      counts.known += page.length - added.length
      counts.canceled_messages += canceled.filter(({ result }) => result === 'canceled').length
    }
  })
  return counts
}

const byCommand = ({ ids }: CommandContext, nowMs: number) =>
  ({ ids, nowMs, origin: 'command', actor: cliActor }) as const

const linesOf = ({ added, known, canceled_messages }: Counts): string =>
  `${added} stored, ${known} known before; ${canceled_messages} waiting messages canceled.`

/** One number, given by itself: as strict as a send. */
function oneNumber(text: string): string {
  const { numbers, faults } = readNumberList(text)
  const [number] = numbers
  if (number === undefined || number !== text.trim())
    throw new UsageError(`--number ${text}: ${faults[0]?.detail ?? 'Write it in E.164: +4915112345678.'}`)
  return number
}

const spellingsOf = async (tools: CommandContext, number: string): Promise<string[]> =>
  everyForm(createNumberHash(await tools.instanceSecret()), number)

async function readAll({ io }: CommandContext): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

export const optOutCommands: CommandGroup = {
  summary: 'Numbers that an account must not write to.',
  commands: { list, add, import: importList, remove },
}
