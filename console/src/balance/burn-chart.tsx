import { Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { BalanceAnswer } from '../../../src/api/console/account/balance-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { historyAddress } from '../messages/history-address.ts'
import { BarChart } from '../ui/bar-chart.tsx'
import { formatNumber } from '../ui/format.ts'

const dayMs = 86_400_000
const axisDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const fullDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' })

/** Chart of SMS used on each UTC day, as in the statement. A bar opens the messages accepted on its day. */
export function BurnChart({ of }: { of: BalanceAnswer }) {
  const place = useAccountPlace()
  const [days, setDays] = useState('30')
  const [shown, setShown] = useState<number | null>(null)
  const burn = of.burn.slice(-Number(days))
  const bars = burn.map(({ day, parts }) => ({
    label: axisDate.format(day * dayMs),
    description: `${fullDate.format(day * dayMs)} (UTC): ${formatNumber(parts)} SMS used`,
    parts: [{ name: 'used', value: parts, ground: 'light-dark(#4263eb, #748ffc)' }],
    href: historyAddress(place, { fromMs: day * dayMs, toMs: (day + 1) * dayMs }),
  }))
  const total = burn.reduce((sum, { parts }) => sum + parts, 0)
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>Usage by day</Title>
          <SegmentedControl
            size="xs"
            aria-label="Days shown"
            value={days}
            onChange={setDays}
            data={['7', '30', '90'].map((value) => ({ value, label: `${value} d` }))}
          />
        </Group>
        <BarChart
          key={days}
          label="SMS used by day; each bar opens its messages in History"
          bars={bars}
          heightPx={160}
          onShow={setShown}
        />
        <Text size="sm" mih="1.5em" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {shown === null
            ? `${formatNumber(total)} SMS used in ${days} days. Today is incomplete.`
            : bars[shown]?.description}
        </Text>
      </Stack>
    </Paper>
  )
}
