import { Affix, Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { useCall } from '../api/use-call.ts'
import { formatExact, formatNumber } from '../ui/format.ts'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filterOf, type HistorySearch, readSearch } from './history-filter.ts'
import { MessageList } from './message-list.tsx'
import { useHistory } from './use-history.ts'

const CodeSamples = lazyPart(async () => (await import('../developers/code-samples.tsx')).CodeSamples)

/** Once the page is scrolled this far, new rows wait so that they do not move the list. */
const topPx = 120
const isAtTop = (): boolean => window.scrollY < topPx

/** History page: all messages of the account, newest first. The URL contains the filter. */
export function HistoryPage() {
  const found: Record<string, unknown> = useSearch({ strict: false })
  const search = useMemo(() => readSearch(found), [found])
  const filter = useMemo(() => filterOf(search), [search])
  const navigate = useNavigate()
  const setSearch = (next: HistorySearch): void =>
    void navigate({ to: '.', search: () => next, replace: false })
  const names = useCall('history/names', {})
  const history = useHistory(filter, isAtTop)
  const { query, rows, waiting, showWaiting, lastPage } = history
  const onNearEnd = useCallback(() => {
    // After a failure, the user decides when to retry.
    if (!query.isFetchingNextPage && !query.isFetchNextPageError && query.hasNextPage)
      void query.fetchNextPage()
  }, [query])
  const onRetry = (): void => void query.fetchNextPage()
  const deviceNames = useMemo(
    () => new Map((names.data?.devices ?? []).map(({ id, name }) => [id, name])),
    [names.data],
  )
  const isFiltered = Object.keys(search).length > 0
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>History</Title>
        <ExportMenu filter={filter} />
      </Group>
      <FilterBar search={search} names={names.data} onChange={setSearch} />
      <ListState
        query={query}
        isEmpty={() => rows.length === 0 && !query.hasNextPage}
        isFiltered={isFiltered}
        onClearFilter={() => setSearch({})}
        empty={<EmptyHistory />}
        rows={10}
      >
        {() => (
          <MessageList
            rows={rows}
            names={{ device: (id) => deviceNames.get(id) ?? 'removed device' }}
            hasMore={query.hasNextPage}
            onNearEnd={onNearEnd}
          />
        )}
      </ListState>
      {query.isSuccess && (rows.length > 0 || query.hasNextPage) ? (
        <Foot
          rows={rows.length}
          isReading={query.isFetchingNextPage}
          hasMore={query.hasNextPage}
          searchedToMs={lastPage?.searchedToMs ?? null}
          onRetry={query.isFetchNextPageError ? onRetry : null}
        />
      ) : null}
      {waiting.length === 0 ? null : (
        <Affix
          position={{ top: 'calc(var(--app-shell-header-height) + 12px)', left: '50%' }}
          style={{ transform: 'translateX(-50%)' }}
        >
          <Button
            size="compact-md"
            radius="xl"
            onClick={() => {
              showWaiting()
              window.scrollTo({ top: 0 })
            }}
          >
            {formatNumber(waiting.length)} new
          </Button>
        </Affix>
      )}
    </Stack>
  )
}

/** Shows the number of rows, and how far back the search went. */
function Foot(properties: {
  rows: number
  isReading: boolean
  hasMore: boolean
  searchedToMs: number | null
  /** Set when the next page could not be loaded. */
  onRetry: (() => void) | null
}) {
  const { rows, isReading, hasMore, searchedToMs, onRetry } = properties
  const searchedTo = searchedToMs === null ? '' : ` Searched back to ${formatExact(searchedToMs)}.`
  return (
    <Group gap="xs" justify="center" mih={32} role="status">
      {isReading ? <Loader size="xs" aria-hidden="true" /> : null}
      <Text size="xs" c="dimmed">
        {hasMore
          ? `${formatNumber(rows)} shown.${searchedTo}`
          : `${formatNumber(rows)} ${rows === 1 ? 'message' : 'messages'} in total`}
      </Text>
      {onRetry === null ? null : (
        <>
          <Text size="xs">Cannot load more.</Text>
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </>
      )}
    </Group>
  )
}

function EmptyHistory() {
  return (
    <EmptyText title="No messages yet">
      <Text size="sm">Messages that you send appear here immediately, with their status.</Text>
      <Suspense>
        <CodeSamples token={null} />
      </Suspense>
    </EmptyText>
  )
}
