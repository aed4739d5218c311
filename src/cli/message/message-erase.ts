import { requireAccount } from '../../accounts/core/list-accounts.ts'
import type { EraseDeps, EraseNumberDeps } from '../../privacy/erase-deps.ts'
import { eraseNumber } from '../../privacy/erase-number.ts'
import { createNumberHash } from '../../numbers/number-hash.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'

const e164 = /^\+[1-9][0-9]{6,14}$/

export const eraseNumberCommand = command({
  summary: 'Erases a number, and the texts to and from it, permanently.',
  details:
    'Can run while the server runs. Queued messages are canceled first. Messages in flight are kept and counted: run it again when they are final. Sums, statuses and times stay. Earlier backups still contain the number. Exit code 1 when messages were kept.',
  arguments: [],
  options: {
    number: {
      type: 'text',
      value: 'NUMBER',
      summary: 'Number in E.164, for example +4915112345678.',
      required: true,
    },
    account: {
      type: 'text',
      value: 'ACCOUNT',
      summary: 'Only in this account: acc_… Default: all accounts.',
    },
  },
  async run(tools, { options }) {
    const { number, account: accountId = null } = options
    if (!e164.test(number)) throw new UsageError('--number must be in E.164, for example +4915112345678.')
    const { erased, canceled, inFlight, isLogEmpty } = await tools.withStorage(async (storage) => {
      if (accountId !== null) await requireAccount(storage.read, accountId)
      const deps = await eraseNumberDeps(tools, storage)
      const done = await eraseNumber(deps, {
        number,
        accountId,
        actor: cliActor,
        code: 'canceled_by_operator',
      })
      return { ...done, isLogEmpty: await storage.emptyLog() }
    })
    return {
      json: {
        ok: inFlight === 0,
        erased_messages: erased,
        canceled_messages: canceled,
        being_handed_over: inFlight,
        log_emptied: isLogEmpty,
      },
      text: [
        `Erased in ${erased} messages; ${canceled} of them were queued and are canceled.`,
        ...inFlightLines(inFlight),
        ...logLines(tools, isLogEmpty),
      ].join('\n'),
      exitCode: inFlight === 0 ? 0 : 1,
    }
  },
})

/** Dependencies of erasing, from the command line. */
export const eraseDeps = ({ clock, ids }: CommandContext, { read, writer }: CommandStorage): EraseDeps => ({
  read,
  writer,
  clock,
  ids,
})

async function eraseNumberDeps(tools: CommandContext, storage: CommandStorage): Promise<EraseNumberDeps> {
  return {
    ...eraseDeps(tools, storage),
    numbers: createNumberHash(await tools.instanceSecret()),
  }
}

const inFlightLines = (inFlight: number): string[] =>
  inFlight === 0 ? [] : [`${inFlight} are in flight and were kept. Erase again when they are final.`]

/** Lists where erased data may still be stored. */
export function logLines({ config }: CommandContext, isLogEmpty: boolean): string[] {
  if (isLogEmpty) return []
  return config.databaseUrl === null
    ? [
        'A reader is active: old pages stay in the write-ahead log until the server overwrites them or is stopped.',
      ]
    : [
        'PostgreSQL keeps old rows until a vacuum, and its write-ahead log by its own settings. Run "vacuum" on the database to remove the rows now.',
      ]
}
