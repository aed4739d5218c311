import { Alert, Anchor, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { ListState } from '../ui/list-state.tsx'
import { DeviceStrip } from './device-strip.tsx'
import { NowTiles } from './now-tiles.tsx'
import { isRange, type OverviewSearch, type Range, rangeNames } from './range.ts'
import { TrafficChart } from './traffic-chart.tsx'
import { TrafficTable } from './traffic-table.tsx'
import { TrafficTiles } from './traffic-tiles.tsx'

/** The balance changes with each message: the tiles update immediately, then at most once a second. */
const nowPauseMs = 1_000
/** The bars of a busy account change constantly; faster updates could not be read. */
const trafficPauseMs = 3_000

/** Overview page: traffic, delivery times, queue, balance and devices. */
export function OverviewPage() {
  const { range = '24h' }: OverviewSearch = useSearch({ strict: false })
  const now = useCall('overview/now', {})
  const traffic = useCall('overview/traffic', { range }, { keepsPrevious: true })
  // Scheduled messages become due without a change of the balance: only message events report it.
  useOutdated(['balance', 'devices', 'messages'], ['overview/now'], nowPauseMs)
  useOutdated(['messages'], ['overview/traffic'], trafficPauseMs)
  return (
    <Stack gap="lg" maw={1200}>
      <Group justify="space-between">
        <Title order={1}>Overview</Title>
        <RangeControl range={range} />
      </Group>
      <ListState query={now} rows={2}>
        {(answer) => (
          <>
            {answer.hasMessages ? null : <FirstSteps />}
            <NowTiles of={answer} />
            <Stack gap="xs">
              <Title order={2}>Devices</Title>
              <DeviceStrip of={answer} />
            </Stack>
          </>
        )}
      </ListState>
      <ListState query={traffic}>
        {(answer) => (
          <Stack gap="sm" style={{ opacity: traffic.isPlaceholderData ? 0.6 : 1 }}>
            <Title order={2}>Traffic, {rangeNames[answer.range]}</Title>
            <TrafficTiles of={answer} />
            <Paper withBorder p="md">
              <TrafficChart key={answer.range} of={answer} />
            </Paper>
            <TrafficTable of={answer} />
          </Stack>
        )}
      </ListState>
    </Stack>
  )
}

function RangeControl({ range }: { range: Range }) {
  const navigate = useNavigate()
  const place = useAccountPlace()
  return (
    <SegmentedControl
      size="xs"
      aria-label="Range"
      value={range}
      onChange={(next) => {
        if (isRange(next)) void navigate({ to: pathOf(place), search: { range: next }, replace: true })
      }}
      data={Object.entries(rangeNames).map(([value, name]) => ({
        value,
        label: <span title={name}>{value.replace('h', ' h').replace('d', ' d')}</span>,
      }))}
    />
  )
}

/** Shown while the account has no messages in this mode. */
function FirstSteps() {
  const place = useAccountPlace()
  return (
    <Alert variant="light" title={`No ${place.mode} messages yet`}>
      <Text size="sm">
        <Anchor component={Link} to={pathOf(place, '/start')} inherit c="inherit">
          First steps
        </Anchor>{' '}
        takes you from a curl command to the first real SMS. Messages that you send appear here automatically.
      </Text>
    </Alert>
  )
}
