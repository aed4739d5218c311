import type { QueuePosition } from './queue-position.ts'

type Row = Pick<QueuePosition, 'priority' | 'due_at'> & { id: string }

/** Compares messages of one route as its queue has them. */
export const byPlace = (a: Row, b: Row): number =>
  a.priority - b.priority || a.due_at - b.due_at || (a.id < b.id ? -1 : 1)

/**
 * Returns the rows account by account, those of each in one order over all its routes, as one route would have them. What was
 * accepted together is therefore submitted and answered together: its changes are in few pages, not in some of each route.
 */
export const inQueueOrder = <R extends Row & { account_id: string }>(rows: readonly R[]): R[] =>
  [...Map.groupBy(rows, ({ account_id }) => account_id).values()].flatMap((ofAccount) =>
    ofAccount.toSorted(byPlace),
  )
