import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { SystemHealth } from '../../../src/api/console/core/system-health.ts'
import { useCall } from '../api/use-call.ts'
import { formatNumber } from '../ui/format.ts'
import { ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** How the instance is, measured when the page was opened or asked again. */
export function HealthPage() {
  const health = useCall('operator/health', {})
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Health of the instance</Title>
        <Button size="xs" variant="default" loading={health.isFetching} onClick={() => void health.refetch()}>
          Measure again
        </Button>
      </Group>
      <ListState query={health}>{(answer) => <Figures health={answer} />}</ListState>
    </Stack>
  )
}

function Figures({ health }: { health: SystemHealth }) {
  const { flush, queue, database, settings } = health
  const rows: readonly { name: string; value: string; says: React.ReactNode }[] = [
    {
      name: 'Waiting messages',
      value: formatNumber(queue.messages),
      says:
        queue.oldestDueAt === null ? (
          'Nothing waits.'
        ) : (
          <>
            {formatNumber(queue.parts)} parts; the oldest was due <TimeAgo at={queue.oldestDueAt} />
          </>
        ),
    },
    {
      name: 'Flush of a commit',
      value: `${flush.p50Ms.toFixed(1)} ms`,
      says: `The median of the last 256; of 99 of 100 at most ${flush.p99Ms.toFixed(1)} ms`,
    },
    {
      name: 'Event-loop delay',
      value: `${health.eventLoopLagP99Ms.toFixed(1)} ms`,
      says: '99 of 100 turns were no later than this',
    },
    {
      name: 'Database',
      value: formatBytes(database.databaseBytes + (database.walBytes ?? 0)),
      says: describeDatabase(database),
    },
    { name: 'Memory', value: formatBytes(health.memoryBytes), says: 'Resident, of the whole process' },
    {
      name: 'Version',
      value: health.version,
      says: (
        <>
          Started <TimeAgo at={health.startedAt} />; at {settings.publicUrl}; {settings.freeSms} SMS for a new
          account
        </>
      ),
    },
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {rows.map(({ name, value, says }) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm">{name}</Text>
          <Text size="xl" fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Text>
          <Text size="xs" c="dimmed">
            {says}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}

/** The log and the disk of a PostgreSQL server are watched there. */
const describeDatabase = ({ walBytes, diskFreeBytes }: SystemHealth['database']): string =>
  walBytes === null || diskFreeBytes === null
    ? 'On a PostgreSQL server, with its indexes'
    : `${formatBytes(walBytes)} of it in the write-ahead log; ${formatBytes(diskFreeBytes)} of the disk are free`
