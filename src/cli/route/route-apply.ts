import { RouteBook } from '../../dispatch/routes/route-book.ts'
import { applyToDeferred, applyToQueue, firstPlace, type NewWay, type WaitingMessage } from '../../messages/queue/apply-ways.ts' // prettier-ignore
import { createLog } from '../../process/log.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import { command } from '../core/command.ts'
import type { CommandContext } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'

export const apply = command({
  summary: 'Applies the rules of now to what waits: queued, scheduled, and delayed messages.',
  details:
    'Each message keeps its place in the queue, its hold and its validity. Messages for which a device was chosen (via), and those in flight, stay as they are.',
  arguments: [],
  options: {
    waiting: { type: 'flag', summary: 'Confirms that waiting messages are to be moved.' },
    account: { type: 'text', value: 'ACCOUNT', summary: 'Only messages of this account. Default: all.' },
  },
  async run(tools, { options: { waiting, account } }) {
    if (!waiting) throw new UsageError('Give --waiting: it moves messages that wait to the ways of now.')
    const moved = await tools.withStorage((storage) => applyAll(tools, storage, account))
    return {
      json: { moved },
      text: moved === 0 ? 'No message changed its way.' : `${moved} messages changed their way.`,
    }
  },
})

async function applyAll(
  { clock }: CommandContext,
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  accountId: string | undefined,
): Promise<number> {
  const book = new RouteBook({ read, clock, log: createLog('silent', { write: () => undefined }) })
  await book.reload()
  const nowMs = clock.now()
  const resolve = (message: WaitingMessage): NewWay => {
    const { account_id, recipient, sender, ...rest } = message
    const choice = book.choose({ ...rest, accountId: account_id, to: recipient, from: sender })
    return book.resolve(choice, account_id, message.message_id)
  }
  const queued = read.selectFrom('queue_totals').select(['account_id', 'route_key']).where('messages', '>', 0)
  const routes = await (accountId === undefined ? queued : queued.where('account_id', '=', accountId)).execute() // prettier-ignore
  let moved = 0
  for (const route of routes)
    moved += await inPages(firstPlace, (after) =>
      writer.write((tx) => applyToQueue(tx, { route, after, resolve, nowMs })),
    )
  const waits = read.selectFrom('deferred_totals').select(['account_id', 'mode']).distinct().where('messages', '>', 0) // prettier-ignore
  const deferred = await (accountId === undefined ? waits : waits.where('account_id', '=', accountId)).execute() // prettier-ignore
  for (const { account_id, mode } of deferred)
    moved += await inPages('', (afterId) =>
      writer.write((tx) => applyToDeferred(tx, { accountId: account_id, mode, afterId, resolve, nowMs })),
    )
  return moved
}

/** Runs pages until the last one; returns how many messages they moved. */
async function inPages<Place>(
  first: Place,
  run: (after: Place) => Promise<{ moved: number; after: Place | null }>,
): Promise<number> {
  let moved = 0
  let next: Place | null = first
  while (next !== null) {
    const page: { moved: number; after: Place | null } = await run(next)
    moved += page.moved
    next = page.after
  }
  return moved
}
