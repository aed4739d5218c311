import { requireAccount } from '../accounts/list-accounts.ts'
import type { EraseDeps, EraseNumberDeps } from '../messages/erase-deps.ts'
import { eraseNumber } from '../messages/erase-number.ts'
import { createNumberHash } from '../number-hash.ts'
import { notBelow } from '../messages/history-floor.ts'
import type { CommandStorage } from '../storage/command-storage.ts'
import { command } from './command.ts'
import { UsageError } from './command-errors.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

const e164 = /^\+[1-9][0-9]{6,14}$/

export const eraseNumberCommand = command({
  summary: 'Erases a number, and the texts to and from it, for ever.',
  details:
    'Works beside the server. What waits is canceled first; what is being handed over is left and counted: run it again when that is final. Sums, states and times stay. Backups made before still hold it. Exits with 1 when something was left.',
  arguments: [],
  options: {
    number: { type: 'text', value: 'NUMBER', says: 'In E.164: +4915112345678.', required: true },
    account: { type: 'text', value: 'ACCOUNT', says: 'Of this account alone: acc_…; of all when left out.' },
  },
  async run(tools, { options }) {
    const { number, account: accountId = null } = options
    if (!e164.test(number)) throw new UsageError('Write --number in E.164, such as +4915112345678.')
    const { erased, canceled, handedOver, isLogEmpty } = await tools.withStorage(async (storage) => {
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
        ok: handedOver === 0,
        erased_messages: erased,
        canceled_messages: canceled,
        being_handed_over: handedOver,
        log_emptied: isLogEmpty,
      },
      text: [
        `Erased in ${erased} messages, of which ${canceled} waited and were canceled.`,
        ...leftLines(handedOver),
        ...logLines(tools, isLogEmpty),
      ].join('\n'),
      exitCode: handedOver === 0 ? 0 : 1,
    }
  },
})

/** What erasing works with, from the command line. */
export const eraseDeps = ({ clock, ids }: Toolbox, { read, writer }: CommandStorage): EraseDeps => ({
  read,
  writer,
  clock,
  ids,
  hold: (atMs, write) => write((tx) => notBelow(tx, atMs)),
})

async function eraseNumberDeps(tools: Toolbox, storage: CommandStorage): Promise<EraseNumberDeps> {
  return {
    ...eraseDeps(tools, storage),
    numbers: createNumberHash(await tools.instanceSecret()),
  }
}

const leftLines = (handedOver: number): string[] =>
  handedOver === 0
    ? []
    : [`${handedOver} are being handed over and were left; erase again when they are final.`]

/** Where what was erased may still stand. */
export function logLines({ config }: Toolbox, isLogEmpty: boolean): string[] {
  if (isLogEmpty) return []
  return config.databaseUrl === null
    ? [
        'Somebody reads at this moment, so that old pages stay in the write-ahead log until the server has written over them or is stopped.',
      ]
    : [
        'PostgreSQL keeps old rows until it vacuums them, and its write-ahead log for as long as it is set to: run "vacuum" on the database to hurry it.',
      ]
}
