import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import type { HistoryFilter } from './history-filter.ts'

/** The loaded pages of a list, newest first. */
export interface ListedPages {
  pages: { rows: ListedMessage[]; next: string | null; searchedToMs: number | null }[]
  pageParams: unknown[]
}

/**
 * Applies changed messages to a list. Messages in the list are replaced. New messages that match the filter are
 * returned separately, newest first, for the page to announce. A row that no longer matches the filter stays: rows must
 * not vanish while they are read.
 */
export function mergeChanged(
  shown: ListedPages,
  changed: readonly ListedMessage[],
  filter: HistoryFilter,
): { shown: ListedPages; newcomers: ListedMessage[] } {
  const byId = new Map(changed.map((row) => [row.id, row]))
  const known = new Set<string>()
  const pages = shown.pages.map((page) => {
    for (const { id } of page.rows) known.add(id)
    return page.rows.some(({ id }) => byId.has(id))
      ? { ...page, rows: page.rows.map((row) => newer(row, byId.get(row.id))) }
      : page
  })
  const last = shown.pages.at(-1)
  const endId = last === undefined || last.next === null ? '' : (lastIdOf(shown) ?? '')
  const newcomers = [...byId.values()]
    .filter((row) => !known.has(row.id) && row.id > endId && fits(filter, row))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
  return { shown: { ...shown, pages }, newcomers }
}

/** Inserts messages into a list, in order. */
export function insertRows(shown: ListedPages, rows: readonly ListedMessage[]): ListedPages {
  const pages = shown.pages.map((page) => ({ ...page, rows: [...page.rows] }))
  const first = pages[0]
  if (first === undefined) return shown
  for (const row of rows) {
    if (pages.some((page) => page.rows.some(({ id }) => id === row.id))) continue
    const page = pages.find(({ rows: held }) => (held.at(-1)?.id ?? '') < row.id) ?? pages.at(-1) ?? first
    const place = page.rows.findIndex(({ id }) => id < row.id)
    page.rows.splice(place === -1 ? page.rows.length : place, 0, row)
  }
  return { ...shown, pages }
}

/**
 * Starts a list with a new first page that does not overlap the old ones. `known` messages may have changed since that
 * page was read: they replace its rows, and those newer than its end are inserted.
 */
export function restartList(
  head: ListedPages['pages'][number],
  known: readonly ListedMessage[],
): ListedPages {
  const { shown, newcomers } = mergeChanged({ pages: [head], pageParams: [null] }, known, {})
  return insertRows(shown, newcomers)
}

/** Adds new messages to those that wait to be shown, newest first, each once and in its latest version. */
export function addWaiting(
  waiting: readonly ListedMessage[],
  newcomers: readonly ListedMessage[],
  changed: readonly ListedMessage[],
): ListedMessage[] {
  const byId = new Map(changed.map((row) => [row.id, row]))
  const fresh = newcomers.filter(({ id }) => waiting.every((row) => row.id !== id))
  return [...fresh, ...waiting.map((row) => newer(row, byId.get(row.id)))]
}

/** Events can arrive out of order: the row with the latest change wins. */
const newer = (row: ListedMessage, other: ListedMessage | undefined): ListedMessage =>
  other === undefined || other.updatedAtMs < row.updatedAtMs ? row : other

const lastIdOf = (shown: ListedPages): string | undefined =>
  shown.pages.findLast(({ rows }) => rows.length > 0)?.rows.at(-1)?.id

/** Whether a message matches a filter. Rows do not contain their sender: see `isKnownHere`. */
function fits(filter: HistoryFilter, row: ListedMessage): boolean {
  const { status, direction, deviceId, number, text, reference, errorCode, fromMs, toMs } = filter
  return (
    (status === undefined || status.includes(row.status)) &&
    (direction === undefined || direction === row.direction) &&
    (deviceId === undefined || deviceId === row.deviceId) &&
    (number === undefined || (number === row.number && row.direction === (direction ?? 'outbound'))) &&
    (text === undefined || (row.text ?? '').toLowerCase().includes(text.toLowerCase())) &&
    (reference === undefined || reference === row.reference) &&
    (errorCode === undefined || errorCode === row.errorCode) &&
    (fromMs === undefined || row.createdAtMs >= fromMs) &&
    (toMs === undefined || row.createdAtMs < toMs)
  )
}

/** Whether `fits` can decide for this filter: rows contain neither send nor sender, and only the start of the text. */
export const isKnownHere = ({ sentBy, sendId, text }: HistoryFilter): boolean =>
  sentBy === undefined && sendId === undefined && text === undefined
