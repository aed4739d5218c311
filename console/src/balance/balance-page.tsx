import { SimpleGrid, Stack, Title } from '@mantine/core'
import { lazyPart } from '../connection/lazy-part.ts'
import type { BalanceAnswer } from '../../../src/api/console/account/balance-calls.ts'
import { useCall } from '../api/use-call.ts'
import { useOutdated } from '../api/use-outdated.ts'
import { formatDays, paceInWords } from '../ui/duration.ts'
import { formatNumber } from '../ui/format.ts'
import { Later } from '../ui/later.tsx'
import { ListState } from '../ui/list-state.tsx'
import { StatTile } from '../ui/stat-tile.tsx'
import { BurnChart } from './burn-chart.tsx'
import { StatementTable } from './statement-table.tsx'

/** A field for numbers is 9 KB (compressed). */
const LowThreshold = lazyPart(async () => (await import('./low-threshold.tsx')).LowThreshold)

const pauseMs = 1_000

/** What there is to spend, how fast it goes, how long it lasts, and where it went. */
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
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <StatTile
        name="Available"
        value={`${formatNumber(of.available)} SMS`}
        more={of.isLow ? `low: ${formatNumber(of.lowThreshold)} or fewer` : 'may still be sent'}
        measures="What was granted, less what is used and what is reserved."
        {...(of.isLow ? { tone: 'warning' as const } : {})}
      />
      <StatTile
        name="Reserved"
        value={formatNumber(of.reserved)}
        more="by messages under way"
        measures="Held for messages that wait or are being handed over. Each hold is charged or given back, once."
      />
      <StatTile
        name="Used"
        value={formatNumber(of.usedThisMonth)}
        more={`this month (UTC), ${formatNumber(of.usedToday)} today`}
        measures="SMS charged in this month, by UTC days. One SMS is one part of a message."
      />
      <StatTile
        name="Lasts"
        value={daysLeft === null ? '–' : formatDays(daysLeft)}
        more={paceInWords(of.pace) + endInWords(daysLeft)}
        measures="The balance divided by the mean use of the last seven whole days (UTC)."
      />
    </SimpleGrid>
  )
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayMs = 86_400_000
/** A date further off than this says more than a pace can know. */
const maxForecastDays = 730

/** Until which day the balance lasts; nothing when nobody can know. */
const endInWords = (daysLeft: number | null): string =>
  daysLeft === null || daysLeft > maxForecastDays
    ? ''
    : `, until ${date.format(Date.now() + daysLeft * dayMs)}`
