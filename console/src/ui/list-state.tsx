import { Alert, Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PageFailed } from './page-states.tsx'

/** Renders a list, or its loading, error or empty state. */
export function ListState<T>(properties: {
  query: UseQueryResult<T>
  /** Omitted for data that is not a list: it is never empty. */
  isEmpty?: (answer: T) => boolean
  /** Shown for an empty list: what would be here, and how to add it. */
  empty?: ReactNode
  /** Whether a filter is set: an empty list then means that nothing matches. */
  isFiltered?: boolean
  onClearFilter?: () => void
  rows?: number
  children: (answer: T) => ReactNode
}) {
  const {
    query,
    isEmpty = () => false,
    empty,
    isFiltered = false,
    onClearFilter,
    rows = 6,
    children,
  } = properties
  if (query.isPending) return <SkeletonRows rows={rows} />
  if (query.data === undefined) return <PageFailed error={query.error} reset={() => void query.refetch()} />
  return (
    <>
      {/* Data that was read before stays visible: the reader keeps their place. */}
      {query.isError ? <PageFailed error={query.error} reset={() => void query.refetch()} /> : null}
      {isEmpty(query.data) ? <Nothing {...{ isFiltered, onClearFilter, empty }} /> : children(query.data)}
    </>
  )
}

function Nothing(properties: {
  isFiltered: boolean
  onClearFilter: (() => void) | undefined
  empty: ReactNode
}) {
  const { isFiltered, onClearFilter, empty } = properties
  return isFiltered ? <NoMatch onClear={onClearFilter} /> : <Paper p="xl">{empty}</Paper>
}

function SkeletonRows({ rows }: { rows: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={36} />
      ))}
    </Stack>
  )
}

function NoMatch({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <Alert color="gray" variant="light" title="No matches for this filter">
      <Stack align="start" gap="sm">
        <Text size="sm">Change the dates or remove a filter.</Text>
        {onClear === undefined ? null : (
          <Button size="xs" variant="default" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Text of an empty list. */
export function EmptyText({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" align="start">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  )
}
