import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { HistoryPageAnswer } from '../../../src/api/console/messages/history-calls.ts'
import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import type { MessagesEvent } from '../../../src/api/console/live/live-messages.ts'
import { read } from '../api/call.ts'
import { useLive } from '../api/live.ts'
import { useAccountPlace } from '../api/place.ts'
import { keyOf } from '../api/use-call.ts'
import type { HistoryFilter } from './history-filter.ts'
import {
  addWaiting,
  insertRows,
  isKnownHere,
  type ListedPages,
  mergeChanged,
  restartList,
} from './merge-rows.ts'

type Pages = InfiniteData<HistoryPageAnswer, string | null>

/** New messages that are not shown yet. */
interface Arrivals {
  rows: ListedMessage[]
  /** The new first page, when too much is new for it to overlap the visible pages. */
  head: HistoryPageAnswer | null
}
const noArrivals: Arrivals = { rows: [], head: null }

/** Changes received and rows inserted during the read of a page, which is appended to the pages as of its request. */
interface Meanwhile {
  changed: ListedMessage[]
  put: ListedMessage[]
}
const nothingMeanwhile = (): Meanwhile => ({ changed: [], put: [] })

/** Minimum interval of reading the first page again, when too many changes happen for the stream to list them. */
const refreshEveryMs = 1_500

/**
 * Returns the messages that match a filter, page by page, updated by the live stream. New ones are inserted while
 * `isAtTop`; otherwise they are kept in `waiting` until `showWaiting`, so that the list does not move.
 */
export function useHistory(filter: HistoryFilter, isAtTop: () => boolean) {
  const { accountId, mode } = useAccountPlace()
  const place = useMemo(() => ({ accountId, mode }), [accountId, mode])
  const client = useQueryClient()
  const queryKey = useMemo(() => keyOf('history/page', place, { filter }), [place, filter])
  const [arrivals, setArrivals] = useState(noArrivals)
  /** The latest values: responses for an earlier filter can still arrive. */
  const current = useRef({ queryKey, arrivals })
  current.current = { queryKey, arrivals }
  /** When changes were not listed: the newest message up to which none is missing. */
  const completeUpTo = useRef<string | null>(null)
  const meanwhile = useRef(nothingMeanwhile())
  useEffect(() => {
    setArrivals(noArrivals)
    completeUpTo.current = null
    meanwhile.current = nothingMeanwhile()
  }, [queryKey])

  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      read('history/page', place, pageParam === null ? { filter } : { filter, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // The stream keeps it up to date; a page that is opened again is read again.
    staleTime: 0,
    gcTime: 60_000,
  })

  const isReading = useCallback(
    (): boolean => client.isFetching({ queryKey, exact: true }) > 0,
    [client, queryKey],
  )
  const put = useCallback(
    (rows: readonly ListedMessage[]): void => {
      if (isReading()) meanwhile.current.put.push(...rows)
      client.setQueryData<Pages>(queryKey, (held) =>
        held === undefined ? held : (insertRows(held, rows) as Pages),
      )
    },
    [client, queryKey, isReading],
  )
  const apply = useCallback(
    (changed: readonly ListedMessage[], among: HistoryFilter): void => {
      const held = client.getQueryData<Pages>(queryKey)
      if (held === undefined || current.current.queryKey !== queryKey) return
      if (isReading()) meanwhile.current.changed.push(...changed)
      const { shown, newcomers } = mergeChanged(held, changed, among)
      client.setQueryData<Pages>(queryKey, shown as Pages)
      const { head, rows: waiting } = current.current.arrivals
      // With a pending first page, inserted rows would be above a gap.
      if (isAtTop() && head === null) {
        const arrived = addWaiting(waiting, newcomers, changed)
        if (arrived.length > 0) put(arrived)
        if (waiting.length > 0) setArrivals(noArrivals)
      } else
        setArrivals((before) =>
          newcomers.length === 0 && before.rows.length === 0
            ? before
            : { ...before, rows: addWaiting(before.rows, newcomers, changed) },
        )
    },
    [client, queryKey, put, isAtTop, isReading],
  )
  useEffect(() => {
    if (query.isFetching) return
    const { changed, put: rows } = meanwhile.current
    meanwhile.current = nothingMeanwhile()
    if (rows.length > 0) put(rows)
    if (changed.length > 0) apply(changed, nothing)
  }, [query.isFetching, put, apply])
  /** Restarts the list. A page in flight would be appended to the old list; the new list has everything since. */
  const restart = useCallback(
    async ({ head, rows }: Arrivals & { head: HistoryPageAnswer }): Promise<void> => {
      await client.cancelQueries({ queryKey, exact: true })
      meanwhile.current = nothingMeanwhile()
      client.setQueryData<Pages>(queryKey, (held) => restartList(head, [...rowsOf(held), ...rows]) as Pages)
    },
    [client, queryKey],
  )

  const refreshHead = useThrottled(
    useCallback(async (): Promise<void> => {
      if (client.getQueryData(queryKey) === undefined) return
      const from = completeUpTo.current
      const head = await read('history/page', place, { filter })
      const held = client.getQueryData<Pages>(queryKey)
      if (held === undefined || current.current.queryKey !== queryKey) return
      if (completeUpTo.current === from) completeUpTo.current = null
      // Rows from the server match the filter, even if they cannot show it.
      if (reaches(head, from ?? newestId(held))) return apply(head.rows, {})
      const { rows: waiting } = current.current.arrivals
      if (isAtTop()) {
        setArrivals(noArrivals)
        return restart({ head, rows: waiting })
      }
      setArrivals({ head, rows: rowsOf(restartList(head, waiting)) })
    }, [client, queryKey, place, filter, apply, isAtTop, restart]),
    refreshEveryMs,
  )

  const refreshMoving = useThrottled(
    useCallback(async (): Promise<void> => {
      const ids = movingIds(client.getQueryData<Pages>(queryKey))
      for (let i = 0; i < ids.length; i += idsPerCall) {
        const { rows } = await read('history/rows', place, { ids: ids.slice(i, i + idsPerCall) })
        apply(rows, nothing)
      }
    }, [client, queryKey, place, apply]),
    refreshEveryMs,
  )

  useLive(['messages'], (content) => {
    const event = content as MessagesEvent
    if (event.kind !== 'changed') {
      completeUpTo.current ??= newestId(client.getQueryData<Pages>(queryKey))
      refreshHead()
      return refreshMoving()
    }
    if (isKnownHere(filter)) return apply(event.rows, filter)
    // Only the server can decide whether a new message matches.
    apply(event.rows, nothing)
    refreshHead()
  })

  const rows = useMemo(() => rowsOf(query.data), [query.data])
  const showWaiting = (): void => {
    const { head, rows: waiting } = arrivals
    if (head === null) put(waiting)
    else void restart({ head, rows: waiting })
    setArrivals(noArrivals)
  }
  return { query, rows, waiting: arrivals.rows, showWaiting, lastPage: query.data?.pages.at(-1) ?? null }
}

/** A filter that no new message matches. */
const nothing: HistoryFilter = { status: [] }

/** Limit of the server's call. */
const idsPerCall = 100
const maxIds = 500

/** Whether a first page reaches back to a message: then none is missing between them. */
const reaches = ({ next, rows }: HistoryPageAnswer, id: string): boolean =>
  next === null || (rows.at(-1)?.id ?? '') <= id

const newestId = (held: Pages | undefined): string => held?.pages[0]?.rows[0]?.id ?? ''

const rowsOf = (held: Pick<ListedPages, 'pages'> | undefined): ListedMessage[] =>
  held?.pages.flatMap(({ rows }) => rows) ?? []

/** Returns the newest listed messages that can still change. Final ones do not, except for rare corrections. */
const movingIds = (held: Pages | undefined): string[] =>
  rowsOf(held)
    .filter((row) => !row.final)
    .map(({ id }) => id)
    .slice(0, maxIds)

/** Returns a function that runs `run` immediately, then at most once every `everyMs`, with a trailing run. */
function useThrottled(run: () => Promise<void>, everyMs: number): () => void {
  const latest = useRef(run)
  latest.current = run
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isPending = useRef(false)
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  return useCallback(() => {
    const go = (): void => {
      timer.current = setTimeout(() => {
        timer.current = null
        if (isPending.current) go()
      }, everyMs)
      isPending.current = false
      latest.current().catch(() => undefined)
    }
    if (timer.current === null) go()
    else isPending.current = true
  }, [everyMs])
}
