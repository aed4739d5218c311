import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import type { HistoryFilter } from './history-filter.ts'

/** The pages of a list as they were read, newest first. */
export interface ListedPages {
  pages: { rows: ListedMessage[]; next: string | null; searchedToMs: number | null }[]
  pageParams: unknown[]
}

/**
 * What a list becomes when the server tells of messages that changed: those that it shows are replaced, and those that belong into it and are not
 * shown yet are given apart, newest first, for the page to announce. A row whose new state no longer fits the filter stays: what somebody is
 * reading does not vanish.
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

/** A list with these messages in their places. */
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
 * A list that begins anew with a head that no longer touches what was shown. The head was read a moment ago: of what is `known` here, what is newer than
 * its end is put in, and a row that changed since stands as it is now.
 */
export function beginAnew(head: ListedPages['pages'][number], known: readonly ListedMessage[]): ListedPages {
  const { shown, newcomers } = mergeChanged({ pages: [head], pageParams: [null] }, known, {})
  return insertRows(shown, newcomers)
}

/** What waits to be shown, newest first, with what was told since: each once, as it stands now. */
export function addWaiting(
  waiting: readonly ListedMessage[],
  newcomers: readonly ListedMessage[],
  changed: readonly ListedMessage[],
): ListedMessage[] {
  const byId = new Map(changed.map((row) => [row.id, row]))
  const fresh = newcomers.filter(({ id }) => waiting.every((row) => row.id !== id))
  return [...fresh, ...waiting.map((row) => newer(row, byId.get(row.id)))]
}

/** News may overtake each other: the row that changed last stands. */
const newer = (row: ListedMessage, other: ListedMessage | undefined): ListedMessage =>
  other === undefined || other.updatedAtMs < row.updatedAtMs ? row : other

const lastIdOf = (shown: ListedPages): string | undefined =>
  shown.pages.findLast(({ rows }) => rows.length > 0)?.rows.at(-1)?.id

/** Whether a message belongs into a list. Who sent it stands in no row: such lists ask the server (see `isKnownHere`). */
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

/** Whether `fits` can answer for this filter: rows carry neither their send nor who sent them, and only the beginning of a text. */
export const isKnownHere = ({ sentBy, sendId, text }: HistoryFilter): boolean =>
  sentBy === undefined && sendId === undefined && text === undefined
