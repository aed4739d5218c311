import { SimpleGrid } from '@mantine/core'
import type { TrafficAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import type { TimeSummary } from '../../../src/messages/history/read-traffic.ts'
import { formatDuration } from '../ui/duration.ts'
import { formatNumber } from '../ui/format.ts'
import { StatTile } from '../ui/stat-tile.tsx'

/** Tiles of a range: counts, success and delivery times. */
export function TrafficTiles({ of }: { of: TrafficAnswer }) {
  const sum = (pick: (bar: TrafficAnswer['bars'][number]) => number): number =>
    of.bars.reduce((total, bar) => total + pick(bar), 0)
  const accepted = sum((bar) => bar.accepted)
  const received = sum((bar) => bar.received)
  const usual = of.usual.reduce((total, count) => total + count, 0)
  const good = sum((bar) => bar.delivered + bar.sent)
  const bad = sum((bar) => bar.failed + bar.expired + bar.undelivered + bar.unconfirmed)
  const delivered = sum((bar) => bar.delivered)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <StatTile
        name="Messages"
        value={formatNumber(accepted)}
        more={`${formatNumber(usual)} a week earlier${received === 0 ? '' : `, ${formatNumber(received)} received`}`}
        measures="Messages accepted for sending in this range, one for each recipient."
      />
      <StatTile
        name="Success"
        value={good + bad === 0 ? '–' : percent(good / (good + bad))}
        more={
          good + bad === 0 ? 'no outcome yet' : `${percent(delivered / (good + bad))} confirmed delivered`
        }
        measures="Share of sent and delivered messages among those with an outcome. Messages in progress and canceled ones do not count."
      />
      <TimeTile name="Time to sent" of={of.toSent} until="the network had accepted all parts" />
      <TimeTile
        name="Time to delivered"
        of={of.toDelivered}
        until="the network reported delivery to the handset"
      />
    </SimpleGrid>
  )
}

function TimeTile({ name, of, until }: { name: string; of: TimeSummary; until: string }) {
  const { medianMs, p95Ms, messages } = of
  return (
    <StatTile
      name={name}
      value={medianMs === null ? '–' : formatDuration(medianMs)}
      more={p95Ms === null ? 'no data yet' : `p95 ${formatDuration(p95Ms)}`}
      measures={`From acceptance until ${until}: the median of ${formatNumber(messages)} messages of this range. Computed from a histogram, accurate to about 20%.`}
    />
  )
}

/** Rounds down, so that 100% means all. */
const percent = (share: number): string => `${Math.floor(share * 1000) / 10}%`
