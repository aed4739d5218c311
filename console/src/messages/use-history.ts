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
  beginAnew,
  insertRows,
  isKnownHere,
  type ListedPages,
  mergeChanged,
} from './merge-rows.ts'

type Pages = InfiniteData<HistoryPageAnswer, string | null>

/** What is new and not shown yet. */
interface News {
  rows: ListedMessage[]
  /** The head of the list as it stands, when so much is new that it no longer touches what is shown. */
  head: HistoryPageAnswer | null
}
const noNews: News = { rows: [], head: null }

/** Told, and put in, while a page was read, which is put behind the pages as they were when it was asked for. */
interface Meanwhile {
  told: ListedMessage[]
  put: ListedMessage[]
}
const nothingMeanwhile = (): Meanwhile => ({ told: [], put: [] })

/** Behind so many changes at once the head of the list is read anew, this often at most. */
const refreshEveryMs = 1_500

/**
 * The messages that fit a filter, page by page, kept up to date by the live stream. New ones are put in while `isAtTop`; else they wait in
 * `waiting` until `showWaiting`, so that nothing moves under the reader.
 */
export function useHistory(filter: HistoryFilter, isAtTop: () => boolean) {
  const { accountId, mode } = useAccountPlace()
  const place = useMemo(() => ({ accountId, mode }), [accountId, mode])
  const client = useQueryClient()
  const queryKey = useMemo(() => keyOf('history/page', place, { filter }), [place, filter])
  const [news, setNews] = useState(noNews)
  /** As they are now: what was asked for under another filter still comes. */
  const current = useRef({ queryKey, news })
  current.current = { queryKey, news }
  /** When not all that changed was told: the newest message up to which nothing is missing. */
  const sureUpTo = useRef<string | null>(null)
  const meanwhile = useRef(nothingMeanwhile())
  useEffect(() => {
    setNews(noNews)
    sureUpTo.current = null
    meanwhile.current = nothingMeanwhile()
  }, [queryKey])

  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      read('history/page', place, pageParam === null ? { filter } : { filter, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // The stream keeps it up to date; what was left and comes back is read anew.
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
  const take = useCallback(
    (changed: readonly ListedMessage[], among: HistoryFilter): void => {
      const held = client.getQueryData<Pages>(queryKey)
      if (held === undefined || current.current.queryKey !== queryKey) return
      if (isReading()) meanwhile.current.told.push(...changed)
      const { shown, newcomers } = mergeChanged(held, changed, among)
      client.setQueryData<Pages>(queryKey, shown as Pages)
      const { head, rows: waiting } = current.current.news
      // Behind a new head what comes would stand above a gap.
      if (isAtTop() && head === null) {
        const arrived = addWaiting(waiting, newcomers, changed)
        if (arrived.length > 0) put(arrived)
        if (waiting.length > 0) setNews(noNews)
      } else
        setNews((before) =>
          newcomers.length === 0 && before.rows.length === 0
            ? before
            : { ...before, rows: addWaiting(before.rows, newcomers, changed) },
        )
    },
    [client, queryKey, put, isAtTop, isReading],
  )
  useEffect(() => {
    if (query.isFetching) return
    const { told, put: rows } = meanwhile.current
    meanwhile.current = nothingMeanwhile()
    if (rows.length > 0) put(rows)
    if (told.length > 0) take(told, nothing)
  }, [query.isFetching, put, take])
  /** A page that is being read would follow the list as it was; all that came meanwhile is in the list. */
  const startWith = useCallback(
    async ({ head, rows }: News & { head: HistoryPageAnswer }): Promise<void> => {
      await client.cancelQueries({ queryKey, exact: true })
      meanwhile.current = nothingMeanwhile()
      client.setQueryData<Pages>(queryKey, (held) => beginAnew(head, [...rowsOf(held), ...rows]) as Pages)
    },
    [client, queryKey],
  )

  const refreshHead = useThrottled(
    useCallback(async (): Promise<void> => {
      if (client.getQueryData(queryKey) === undefined) return
      const from = sureUpTo.current
      const head = await read('history/page', place, { filter })
      const held = client.getQueryData<Pages>(queryKey)
      if (held === undefined || current.current.queryKey !== queryKey) return
      if (sureUpTo.current === from) sureUpTo.current = null
      // What the server gives fits, whatever the rows can tell.
      if (reaches(head, from ?? newestId(held))) return take(head.rows, {})
      const { rows: waiting } = current.current.news
      if (isAtTop()) {
        setNews(noNews)
        return startWith({ head, rows: waiting })
      }
      setNews({ head, rows: rowsOf(beginAnew(head, waiting)) })
    }, [client, queryKey, place, filter, take, isAtTop, startWith]),
    refreshEveryMs,
  )

  const refreshMoving = useThrottled(
    useCallback(async (): Promise<void> => {
      const ids = movingIds(client.getQueryData<Pages>(queryKey))
      for (let i = 0; i < ids.length; i += idsAtOnce) {
        const { rows } = await read('history/rows', place, { ids: ids.slice(i, i + idsAtOnce) })
        take(rows, nothing)
      }
    }, [client, queryKey, place, take]),
    refreshEveryMs,
  )

  useLive(['messages'], (told) => {
    const event = told as MessagesEvent
    if (event.kind !== 'changed') {
      sureUpTo.current ??= newestId(client.getQueryData<Pages>(queryKey))
      refreshHead()
      return refreshMoving()
    }
    if (isKnownHere(filter)) return take(event.rows, filter)
    // Whether a new one belongs here only the server can say.
    take(event.rows, nothing)
    refreshHead()
  })

  const rows = useMemo(() => rowsOf(query.data), [query.data])
  const showWaiting = (): void => {
    const { head, rows: waiting } = news
    if (head === null) put(waiting)
    else void startWith({ head, rows: waiting })
    setNews(noNews)
  }
  return { query, rows, waiting: news.rows, showWaiting, lastPage: query.data?.pages.at(-1) ?? null }
}

/** What no new message fits. */
const nothing: HistoryFilter = { status: [] }

/** As many as the server gives at once. */
const idsAtOnce = 100
const maxIds = 500

/** Whether a head goes back as far as a message: then nothing lies between them. */
const reaches = ({ next, rows }: HistoryPageAnswer, id: string): boolean =>
  next === null || (rows.at(-1)?.id ?? '') <= id

const newestId = (held: Pages | undefined): string => held?.pages[0]?.rows[0]?.id ?? ''

const rowsOf = (held: Pick<ListedPages, 'pages'> | undefined): ListedMessage[] =>
  held?.pages.flatMap(({ rows }) => rows) ?? []

/** The newest messages shown that may still change; what is final does not, but for rare corrections. */
const movingIds = (held: Pages | undefined): string[] =>
  rowsOf(held)
    .filter((row) => !row.final)
    .map(({ id }) => id)
    .slice(0, maxIds)

/** Runs at once, then at most once in `everyMs`, and once more at the end when it was asked for in between. */
function useThrottled(run: () => Promise<void>, everyMs: number): () => void {
  const latest = useRef(run)
  latest.current = run
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const again = useRef(false)
  useEffect(() => () => clearTimeout(timer.current ?? undefined), [])
  return useCallback(() => {
    const go = (): void => {
      timer.current = setTimeout(() => {
        timer.current = null
        if (again.current) go()
      }, everyMs)
      again.current = false
      latest.current().catch(() => undefined)
    }
    if (timer.current === null) go()
    else again.current = true
  }, [everyMs])
}
