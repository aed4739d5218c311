import { RouteBook } from '../../dispatch/routes/route-book.ts'
import { applyToDeferred, applyToQueue, firstPlace } from '../../messages/queue/apply-ways.ts'
import { createLog } from '../../process/log.ts'
import { changeOnDemand } from '../../messages/core/change-number.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import { command } from '../core/command.ts'
import type { CommandContext } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'

export const apply = command({
  summary: 'Applies the rules of now to what waits: queued, scheduled, and delayed messages.',
  details:
    'Each message keeps its place in the queue, its hold and its validity. Messages for which a device was chosen (via), and those in flight, stay as they are. Messages that a rule refuses are canceled (destination_not_allowed), also with a chosen device, and their holds released; those that a restore holds stay held.',
  arguments: [],
  options: {
    waiting: { type: 'flag', summary: 'Confirms that waiting messages are to be moved.' },
    account: { type: 'text', value: 'ACCOUNT', summary: 'Only messages of this account. Default: all.' },
  },
  async run(tools, { options: { waiting, account } }) {
    if (!waiting) throw new UsageError('Give --waiting: it moves messages that wait to the ways of now.')
    const { moved, refused, held } = await tools.withStorage((storage) => applyAll(tools, storage, account))
    const ofRefused = refused === 0 ? '' : ` Canceled because a rule refuses them: ${refused}.`
    const ofHeld = held === 0 ? '' : ` Refused by a rule, and left because a restore holds them: ${held}.`
    return {
      json: { moved, refused, held },
      text: `${moved === 0 ? 'No message changed its way.' : `Messages that changed their way: ${moved}.`}${ofRefused}${ofHeld}`,
    }
  },
})

interface Done {
  moved: number
  refused: number
  held: number
}

async function applyAll(
  { clock }: CommandContext,
  { read, writer }: Pick<Storage, 'read' | 'writer'>,
  accountId: string | undefined,
): Promise<Done> {
  const book = new RouteBook({ read, clock, log: createLog('silent', { write: () => undefined }) })
  await book.reload()
  const nowMs = clock.now()
  const by = (tx: Tx) => ({ resolve: book.resolveWaiting, take: changeOnDemand(tx, nowMs) })
  const done: Done = { moved: 0, refused: 0, held: 0 }
  const queued = read.selectFrom('queue_totals').select(['account_id', 'route_key']).where('messages', '>', 0)
  const routes = await (accountId === undefined ? queued : queued.where('account_id', '=', accountId)).execute() // prettier-ignore
  for (const route of routes)
    await inPages(done, firstPlace, (after) =>
      writer.write((tx) => applyToQueue(tx, { route, after, ...by(tx) })),
    )
  const waits = read.selectFrom('deferred_totals').select(['account_id', 'mode']).distinct().where('messages', '>', 0) // prettier-ignore
  const deferred = await (accountId === undefined ? waits : waits.where('account_id', '=', accountId)).execute() // prettier-ignore
  for (const { account_id, mode } of deferred)
    await inPages(done, '', (afterId) =>
      writer.write((tx) => applyToDeferred(tx, { accountId: account_id, mode, afterId, ...by(tx) })),
    )
  return done
}

/** Runs pages until the last one, and adds up what they did. */
async function inPages<Place>(
  done: Done,
  first: Place,
  run: (after: Place) => Promise<Done & { after: Place | null }>,
): Promise<void> {
  let next: Place | null = first
  while (next !== null) {
    const page: Done & { after: Place | null } = await run(next)
    done.moved += page.moved
    done.refused += page.refused
    done.held += page.held
    next = page.after
  }
}
