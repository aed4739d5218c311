import type { ModelMessage, ModelTry, ReceiptResult } from './model-message.ts'

/** What all that is known of a message makes of it. */
export interface Fate {
  status: string
  charge: 'all' | 'taken' | 'nothing' | 'keep'
  isFinal: boolean
  /** The number of the attempt that decides; 0 if none does. */
  by: number
}

/** What waits for the next try, or how the queue ended it. */
export interface ModelStanding {
  waits: boolean
  end: string | null
}

/** A delivered try decides, else the last one of which something may be out; a yes before it while nobody knows of that. */
export function fateOf({ tries }: ModelMessage, { waits, end }: ModelStanding): Fate {
  const out = [...tries].toSorted(([a], [b]) => a - b).filter(([, { word }]) => word !== 'nothing')
  const arrived = out.findLast(([, one]) => hasArrived(one))
  if (arrived !== undefined) return { status: 'delivered', charge: 'all', isFinal: true, by: arrived[0] }
  const waiting: Fate = { status: 'queued', charge: 'keep', isFinal: false, by: 0 }
  const last = out.at(-1)
  if (last === undefined)
    return waits || end === null ? waiting : { status: end, charge: 'nothing', isFinal: true, by: 0 }
  if (last[1].word === 'open') return { status: 'sending', charge: 'keep', isFinal: false, by: last[0] }
  const yes = last[1].word === 'unknown' ? out.findLast(([, { word }]) => word === 'taken') : last
  const [by, one] = yes ?? last
  const isAnyHeard = (result: ReceiptResult): boolean => [...one.heard.values()].includes(result)
  if (one.word === 'taken') {
    if (isAnyHeard('undelivered')) return { status: 'undelivered', charge: 'all', isFinal: true, by }
    if (one.receipts && isAnyHeard('lost')) return { status: 'unconfirmed', charge: 'all', isFinal: true, by }
    const isWaitedFor = one.receipts && one.ids.some((id) => !one.heard.has(id))
    return { status: 'sent', charge: 'all', isFinal: !isWaitedFor, by }
  }
  if (waits) return waiting
  const isDoubted = out.some(([number, { word }]) => word === 'unknown' && number < by)
  if (one.word === 'partly')
    return { status: isDoubted ? 'unconfirmed' : 'failed', charge: 'taken', isFinal: true, by }
  if (isAnyHeard('undelivered')) return { status: 'undelivered', charge: 'all', isFinal: true, by }
  return { status: 'unconfirmed', charge: 'taken', isFinal: true, by }
}

const hasArrived = ({ wireParts, ids, heard }: ModelTry): boolean =>
  wireParts > 0 && ids.every((id) => heard.get(id) === 'delivered')
