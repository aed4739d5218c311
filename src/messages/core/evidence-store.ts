import type { Selectable } from 'kysely'
import type { Tx } from '../../storage/seam/dialect.ts'
import { selectEach, updateRows } from '../../storage/seam/sets.ts'
import { type PartReport, readJson, writeJson } from '../../storage/tables/json-columns.ts'
import type { AttemptTable } from '../../storage/tables/schema.ts'
import { type AttemptEvidence, type PartEvidence, raisePart, type Reason } from './attempt-evidence.ts'
import type { MessageKey } from './message-store.ts'

/** What is stored of one attempt, as far as it is evidence. */
export type StoredAttempt = Pick<
  Selectable<AttemptTable>,
  | 'account_id'
  | 'mode'
  | 'message_id'
  | 'number'
  | 'id'
  | 'device_id'
  | 'state'
  | 'parts_sent'
  | 'network_ids'
  | 'receipt_expected'
  | 'part_reports'
  | 'outcome'
  | 'network_code'
  | 'ended_at'
  | 'plan_counts'
>

const attemptsOf = {
  sql: `select account_id, mode, message_id, number, id, device_id, state, parts_sent, network_ids, receipt_expected, part_reports, outcome, network_code, ended_at, plan_counts
        from attempts where account_id = :account and mode = :mode and message_id = :message`,
  inputs: ['account', 'mode', 'message'],
} as const

/** Reads all attempts of these messages, each by message in the order of their numbers. */
export async function readAttempts(
  tx: Tx,
  keys: readonly MessageKey[],
): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
  const rows = await selectEach<StoredAttempt & Record<string, string | number | null>>(
    tx,
    attemptsOf,
    [...new Map(keys.map((key) => [key.messageId, key])).values()].map(({ accountId, mode, messageId }) => [
      accountId,
      mode,
      messageId,
    ]),
  )
  return Map.groupBy(
    rows.toSorted((a, b) => a.number - b.number),
    ({ message_id }) => message_id,
  )
}

/** Stores what was raised. */
export const writeAttempts = (tx: Tx, attempts: readonly StoredAttempt[]): Promise<number> =>
  updateRows(tx, 'attempts', ['account_id', 'mode', 'message_id', 'number'], attempts.map(storedColumns))

const storedColumns = (attempt: StoredAttempt) => ({
  account_id: attempt.account_id,
  mode: attempt.mode,
  message_id: attempt.message_id,
  number: attempt.number,
  state: attempt.state,
  parts_sent: attempt.parts_sent,
  network_ids: attempt.network_ids,
  receipt_expected: attempt.receipt_expected,
  part_reports: attempt.part_reports,
  outcome: attempt.outcome,
  network_code: attempt.network_code,
  ended_at: attempt.ended_at,
  // An attempt that is open has its place in the queue; one that has ended is written with none.
  ...ended,
})

const ended = { route_key: null, due_at: null, refusals: null }

/**
 * Returns the evidence of a stored attempt. `wireParts` is how many receipts mean that all of an attempt of unknown
 * outcome arrived; 0 if one of its parts has no receipt.
 */
export function evidenceOf(stored: StoredAttempt, wireParts = 0): AttemptEvidence {
  const isAccepted = stored.state === 'accepted'
  const reports = stored.part_reports === null ? noReports : readJson(stored.part_reports)
  const ofAll = reports.find(({ isForAll }) => isForAll)
  const parts = ofAll?.state === 'delivered' ? [ofAll] : partsOf(stored, reports)
  return {
    number: stored.number,
    state: stored.state === 'handing_over' ? 'open' : stored.state,
    partsTaken: stored.parts_sent,
    receipts: promisesReceipts(stored) ? 'all' : 'none',
    parts,
    isWhole:
      isAccepted || ofAll?.state === 'delivered'
        ? parts.length > 0
        : wireParts > 0 && parts.filter(({ state }) => state === 'delivered').length >= wireParts,
    reason: reasonOf(stored),
  }
}

/** Attempts that ended before the promise was stored are waited for where they have IDs. */
export const promisesReceipts = ({ receipt_expected, network_ids }: StoredAttempt): boolean =>
  receipt_expected === 1 || (receipt_expected === null && network_ids !== null)

const noReports: readonly PartReport[] = []
const awaited: PartEvidence = { state: 'awaited', reason: null }

/** The parts that have an ID, and those that were reported under another. */
function partsOf({ network_ids, state }: StoredAttempt, reports: readonly PartReport[]): PartEvidence[] {
  if (reports.length === 0) return state === 'unknown' ? [] : distinctIdsOf(network_ids).map(() => awaited)
  const left = new Set(reports)
  const named = distinctIdsOf(network_ids).map((id): PartEvidence => {
    const told = [...left].find(({ ids }) => ids.includes(id))
    if (told !== undefined) left.delete(told)
    return told ?? awaited
  })
  // An ID that only a receipt revealed stands for a part whose own ID is unknown.
  if (state === 'unknown') return [...named.filter((part) => part.state !== 'awaited'), ...left]
  const others = [...left]
  return named.map((part) => (part.state === 'awaited' ? (others.shift() ?? part) : part))
}

function reasonOf({ state, outcome, network_code: networkCode }: StoredAttempt): Reason | null {
  switch (state) {
    case 'handing_over':
    case 'accepted':
      return null
    case 'refused':
      return { code: 'partially_sent', networkCode }
    case 'unknown':
      return {
        code: outcome === 'unclear' || networkCode !== null ? 'device_unclear' : 'device_unresponsive',
        networkCode,
      }
  }
}

/** Returns an attempt with what a receipt told of one of its parts. `ids` are those that the receipt may have meant. */
export function withReport(stored: StoredAttempt, said: PartReport): StoredAttempt {
  const reports = stored.part_reports === null ? [] : readJson(stored.part_reports)
  const before = reports.find(({ ids }) => ids.some((id) => said.ids.includes(id)))
  if (before === undefined) return { ...stored, part_reports: writeJson([...reports, said]) }
  if (raisePart(before, said) === before) return stored
  const raised = { ...said, ids: [...new Set([...before.ids, ...said.ids])] }
  return { ...stored, part_reports: writeJson(reports.map((each) => (each === before ? raised : each))) }
}

/** The IDs of a stored attempt, in the order of its parts. */
export const idsOf = (networkIds: string | null): string[] =>
  networkIds === null ? [] : (JSON.parse(networkIds) as string[])

/** Each ID once: some networks give all parts one, and send one receipt for them. */
export function distinctIdsOf(networkIds: string | null): string[] {
  const ids = idsOf(networkIds)
  return ids.length < 2 ? ids : [...new Set(ids)]
}
