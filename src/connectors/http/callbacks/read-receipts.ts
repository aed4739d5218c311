import type { Receipt } from '../../connector.ts'
import type { Declaration } from '../declaration/declaration.ts'
import { findAll, findText } from '../declaration/pointer.ts'

/** What one report says: a receipt, or that the message is on its way, or a word that the declaration does not name. */
export type ReadReceipt =
  | { kind: 'receipt'; receipt: Receipt; reference: string | null }
  | { kind: 'on_its_way'; id: string | null; reference: string | null }
  | { kind: 'unknown_word'; word: string }
  /** It names no message, or has no state. */
  | { kind: 'unreadable' }

/**
 * Reads the reports of a call, all of them: a report that is dropped here would be acknowledged and lost. `attemptId` is the
 * attempt that the called address names, or null; where a report has no ID of the provider, that attempt stands for it.
 */
export function readReceipts(
  { status, states = {}, codes = {} }: Pick<Declaration, 'status' | 'states' | 'codes'>,
  document: unknown,
  attemptId: string | null,
): ReadReceipt[] {
  if (status === undefined) return []
  const reports = status.list === undefined ? [document] : listAt(document, status.list)
  return reports.map((report): ReadReceipt => {
    const word = findText(report, status.state)
    const id = status.id === undefined ? null : findText(report, status.id)
    const named = status.reference === undefined ? null : findText(report, status.reference)
    const reference = named ?? attemptId
    const networkId = id ?? reference
    if (word === null || networkId === null) return { kind: 'unreadable' }
    const state = stateOf(word, states)
    if (state === undefined) return { kind: 'unknown_word', word }
    if (state === 'on_its_way') return { kind: 'on_its_way', id, reference }
    const networkCode = status.code === undefined ? null : findText(report, status.code)
    const number = status.number === undefined ? null : findText(report, status.number)
    return {
      kind: 'receipt',
      reference,
      receipt: {
        networkId,
        ...(id !== null && reference !== null && reference !== id && { alternatives: [reference] }),
        ...(number !== null && { numbers: [number] }),
        ...(status.per !== 'part' && { covers: 'all' as const }),
        result: state,
        code: state === 'delivered' ? null : codeOf(networkCode, codes),
        networkCode: state === 'delivered' ? null : (networkCode ?? word),
      },
    }
  })
}

type States = NonNullable<Declaration['states']>

/** A word that ends with an asterisk stands for all that begin so; the whole word comes first. */
function stateOf(word: string, states: States): States[string] | undefined {
  if (Object.hasOwn(states, word)) return states[word]
  const [, state] =
    Object.entries(states).find(([name]) => name.endsWith('*') && word.startsWith(name.slice(0, -1))) ?? []
  return state
}

const codeOf = (networkCode: string | null, codes: NonNullable<Declaration['codes']>): string =>
  (networkCode !== null && Object.hasOwn(codes, networkCode) ? codes[networkCode] : undefined) ?? 'unknown'

const listAt = (
  document: unknown,
  place: NonNullable<NonNullable<Declaration['status']>['list']>,
): unknown[] =>
  findAll(document, place).flatMap((found) => (Array.isArray(found) ? (found as unknown[]) : [found]))
