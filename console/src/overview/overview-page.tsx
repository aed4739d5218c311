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

/** A balance moves with each message: the tiles follow at once, then each second. */
const nowPauseMs = 1_000
/** The bars of a busy account change all the time; nobody reads them faster. */
const trafficPauseMs = 3_000

/** Whether it works, at a glance: what became of messages, how fast, what waits, what is left, and the devices. */
export function OverviewPage() {
  const { range = '24h' }: OverviewSearch = useSearch({ strict: false })
  const now = useCall('overview/now', {})
  const traffic = useCall('overview/traffic', { range }, { keepsPrevious: true })
  // What was scheduled comes due without a movement of the balance: only messages tell of it.
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
      data={Object.entries(rangeNames).map(([value, says]) => ({
        value,
        label: <span title={says}>{value.replace('h', ' h').replace('d', ' d')}</span>,
      }))}
    />
  )
}

/** Of an account that has sent nothing yet in this mode. */
function FirstSteps() {
  const place = useAccountPlace()
  return (
    <Alert variant="light" title={`No ${place.mode} messages yet`}>
      <Text size="sm">
        <Anchor component={Link} to={pathOf(place, '/start')} inherit c="inherit">
          The first steps
        </Anchor>{' '}
        lead from one line of curl to the first real SMS. What you send shows up here by itself.
      </Text>
    </Alert>
  )
}
