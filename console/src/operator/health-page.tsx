import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { SystemHealth } from '../../../src/api/console/core/system-health.ts'
import { useCall } from '../api/use-call.ts'
import { formatNumber } from '../ui/format.ts'
import { ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Page with the health of the instance, measured when it is opened or refreshed. */
export function HealthPage() {
  const health = useCall('operator/health', {})
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Instance health</Title>
        <Button size="xs" variant="default" loading={health.isFetching} onClick={() => void health.refetch()}>
          Refresh
        </Button>
      </Group>
      <ListState query={health}>{(answer) => <Figures health={answer} />}</ListState>
    </Stack>
  )
}

function Figures({ health }: { health: SystemHealth }) {
  const { flush, queue, database, settings } = health
  const rows: readonly { name: string; value: string; details: React.ReactNode }[] = [
    {
      name: 'Queued messages',
      value: formatNumber(queue.messages),
      details:
        queue.oldestDueAt === null ? (
          'The queue is empty'
        ) : (
          <>
            {formatNumber(queue.parts)} parts; the oldest was due <TimeAgo at={queue.oldestDueAt} />
          </>
        ),
    },
    {
      name: 'Commit flush time',
      value: `${flush.p50Ms.toFixed(1)} ms`,
      details: `p50 of the last 256 commits; p99 ${flush.p99Ms.toFixed(1)} ms`,
    },
    {
      name: 'Event loop delay',
      value: `${health.eventLoopLagP99Ms.toFixed(1)} ms`,
      details: 'p99',
    },
    {
      name: 'Database',
      value: formatBytes(database.databaseBytes + (database.walBytes ?? 0)),
      details: describeDatabase(database),
    },
    { name: 'Memory', value: formatBytes(health.memoryBytes), details: 'Resident memory of the process' },
    {
      name: 'Version',
      value: health.version,
      details: (
        <>
          Started <TimeAgo at={health.startedAt} />; URL {settings.publicUrl}; {settings.freeSms} SMS for new
          accounts
        </>
      ),
    },
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {rows.map(({ name, value, details }) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm">{name}</Text>
          <Text size="xl" fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Text>
          <Text size="xs" c="dimmed">
            {details}
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

/** With PostgreSQL, write-ahead log and disk are monitored on its server. */
const describeDatabase = ({ walBytes, diskFreeBytes }: SystemHealth['database']): string =>
  walBytes === null || diskFreeBytes === null
    ? 'On a PostgreSQL server, including indexes'
    : `${formatBytes(walBytes)} of it in the write-ahead log; ${formatBytes(diskFreeBytes)} free on the disk`
