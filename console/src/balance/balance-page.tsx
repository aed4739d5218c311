import { SimpleGrid, Stack, Title } from '@mantine/core'
import { lazyPart } from '../connection/lazy-part.ts'
import type { BalanceAnswer } from '../../../src/api/console/account/balance-calls.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { formatDailyUse, formatDays } from '../ui/duration.ts'
import { formatNumber } from '../ui/format.ts'
import { Later } from '../ui/later.tsx'
import { ListState } from '../ui/list-state.tsx'
import { hasOwnUse, OwnUseTile } from '../ui/own-use-tile.tsx'
import { StatTile } from '../ui/stat-tile.tsx'
import { BurnChart } from './burn-chart.tsx'
import { StatementTable } from './statement-table.tsx'

/** Loaded on demand: a number field is 9 KB (compressed). */
const LowThreshold = lazyPart(async () => (await import('./low-threshold.tsx')).LowThreshold)

const pauseMs = 1_000

/** Balance page: available SMS, daily use, forecast and statement. */
export function BalancePage() {
  const summary = useCall('balance/summary', {})
  useOutdated(['balance'], ['balance/summary', 'balance/statement'], pauseMs)
  return (
    <Stack gap="lg" maw={1200}>
      <Title order={1}>Balance</Title>
      <ListState query={summary}>
        {(answer) => (
          <>
            <Tiles of={answer} />
            <BurnChart of={answer} />
            <Later height={160}>
              <LowThreshold key={answer.lowThreshold} of={answer} />
            </Later>
          </>
        )}
      </ListState>
      <StatementTable />
    </Stack>
  )
}

function Tiles({ of }: { of: BalanceAnswer }) {
  const { daysLeft } = of.pace
  return (
    <SimpleGrid cols={{ base: 2, md: hasOwnUse(of) ? 5 : 4 }} spacing="sm">
      <StatTile
        name="Available"
        value={`${formatNumber(of.available)} SMS`}
        more={of.isLow ? `low: ${formatNumber(of.lowThreshold)} or fewer` : 'can still be sent'}
        measures="Granted SMS minus used and held SMS."
        {...(of.isLow ? { tone: 'warning' as const } : {})}
      />
      {hasOwnUse(of) ? <OwnUseTile of={of} /> : null}
      <StatTile
        name="Held"
        value={formatNumber(of.reserved)}
        more="for messages in progress"
        measures="Held for messages that are queued or being submitted. Each hold is charged or released once."
      />
      <StatTile
        name="Used"
        value={formatNumber(of.usedThisMonth)}
        more={`this month (UTC), ${formatNumber(of.usedToday)} today`}
        measures="SMS charged this month, by UTC days. One SMS is one part of a message."
      />
      <StatTile
        name="Forecast"
        value={daysLeft === null ? '–' : `${formatDays(daysLeft)} left`}
        more={formatDailyUse(of.pace) + formatEnd(daysLeft)}
        measures="Balance divided by the average daily use of the last seven whole days (UTC)."
      />
    </SimpleGrid>
  )
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayMs = 86_400_000
/** A forecast further ahead than this would be false precision. */
const maxForecastDays = 730

/** Formats the day until which the balance lasts; empty beyond the forecast. */
const formatEnd = (daysLeft: number | null): string =>
  daysLeft === null || daysLeft > maxForecastDays
    ? ''
    : `, until ${date.format(Date.now() + daysLeft * dayMs)}`
