import { Alert, Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PageFailed } from './page-states.tsx'

/** What stands in the place of a list that has nothing to show yet, or nothing at all. */
export function ListState<T>(properties: {
  query: UseQueryResult<T>
  /** Of a list; what is none is never empty. */
  isEmpty?: (answer: T) => boolean
  /** Shown when there is nothing at all: what would be here, and how to get it. */
  empty?: ReactNode
  /** Whether a filter is set; then nothing means that nothing fits it. */
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
      {/* What was read before stays: the reader keeps the place. */}
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
    <Alert color="gray" variant="light" title="Nothing fits this filter">
      <Stack align="start" gap="sm">
        <Text size="sm">Widen the dates, or take a condition away.</Text>
        {onClear === undefined ? null : (
          <Button size="xs" variant="default" onClick={onClear}>
            Clear the filter
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** The words of an empty list. */
export function EmptyWords({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" align="start">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  )
}
