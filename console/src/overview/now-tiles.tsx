import { Anchor, SimpleGrid } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NowAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { formatDays, paceInWords } from '../ui/duration.ts'
import { formatNumber } from '../ui/format.ts'
import { StatTile } from '../ui/stat-tile.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** What there is now: balance, and what waits. */
export function NowTiles({ of: { balance, pace, queue } }: { of: NowAnswer }) {
  const place = useAccountPlace()
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
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
            : `${formatNumber(balance.reserved)} reserved`
        }
        measures="SMS that may still be sent. What messages that wait have reserved is taken off."
        {...(balance.isLow ? { tone: 'warning' as const } : {})}
      />
      <StatTile
        name="Lasts"
        value={pace.daysLeft === null ? '–' : formatDays(pace.daysLeft)}
        more={paceInWords(pace)}
        measures="The balance divided by the mean use of the last seven whole days (UTC)."
      />
      <StatTile
        name="In the queue"
        value={formatNumber(queue.messages)}
        more={`${formatNumber(queue.parts)} SMS`}
        measures="Messages that are stored and that no device has yet."
      />
      <StatTile
        name="Oldest waiting"
        value={queue.oldestAtMs === null ? 'none' : <TimeAgo at={queue.oldestAtMs} />}
        more={queue.oldestAtMs === null ? 'nothing waits' : 'since it was accepted'}
        measures="When the message was accepted that has waited longest for a device."
      />
    </SimpleGrid>
  )
}
