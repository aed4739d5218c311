import { Anchor, SimpleGrid } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NowAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { formatDailyUse, formatDays } from '../ui/duration.ts'
import { formatNumber } from '../ui/format.ts'
import { hasOwnUse, OwnUseTile } from '../ui/own-use-tile.tsx'
import { StatTile } from '../ui/stat-tile.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Tiles of the current state: balance and queue. */
export function NowTiles({ of: { balance, pace, queue } }: { of: NowAnswer }) {
  const place = useAccountPlace()
  return (
    <SimpleGrid cols={{ base: 2, md: hasOwnUse(balance) ? 5 : 4 }} spacing="sm">
      <StatTile
        name="Balance"
        value={
          <Anchor component={Link} to={pathOf(place, '/balance')} inherit c="inherit" underline="hover">
            {formatNumber(balance.available)} SMS
          </Anchor>
        }
        more={
          balance.isLow
            ? `low: ${formatNumber(balance.lowThreshold)} or fewer`
            : `${formatNumber(balance.reserved)} held`
        }
        measures="SMS that can still be sent. SMS held for queued messages are already subtracted."
        {...(balance.isLow ? { tone: 'warning' as const } : {})}
      />
      {hasOwnUse(balance) ? <OwnUseTile of={balance} /> : null}
      <StatTile
        name="Forecast"
        value={pace.daysLeft === null ? '–' : `${formatDays(pace.daysLeft)} left`}
        more={formatDailyUse(pace)}
        measures="Balance divided by the average daily use of the last seven whole days (UTC)."
      />
      <StatTile
        name="Queued"
        value={formatNumber(queue.messages)}
        more={`${formatNumber(queue.parts)} SMS`}
        measures="Stored messages that are waiting for a device."
      />
      <StatTile
        name="Oldest queued"
        value={queue.oldestAtMs === null ? 'none' : <TimeAgo at={queue.oldestAtMs} />}
        more={queue.oldestAtMs === null ? 'queue is empty' : 'since it was accepted'}
        measures="When the oldest queued message was accepted."
      />
    </SimpleGrid>
  )
}
