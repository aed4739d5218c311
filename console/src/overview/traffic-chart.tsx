import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { TrafficAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import { useAccountPlace } from '../api/place.ts'
import { historyAddress } from '../messages/history-address.ts'
import { BarChart } from '../ui/bar-chart.tsx'
import styles from '../ui/bar-chart.module.css'
import { useFollow } from '../ui/follow.ts'
import { formatNumber } from '../ui/format.ts'
import { axisTime, barTime } from './bar-times.ts'
import { barStates } from './states.ts'

/** Chart of the messages of a range by status, with the counts of a week earlier. */
export function TrafficChart({ of }: { of: TrafficAnswer }) {
  const place = useAccountPlace()
  const [shown, setShown] = useState<number | null>(null)
  const bars = of.bars.map((bar, i) => ({
    label: axisTime(bar.atMs, of.barMs),
    description: `${barTime(bar.atMs, of.barMs)}: ${countsOf(of, i)}`,
    parts: barStates.map(({ state, name, ground }) => ({ name, value: bar[state], ground })),
    href: historyAddress(place, { fromMs: bar.atMs, toMs: bar.atMs + of.barMs }),
  }))
  return (
    <Stack gap="xs">
      <BarChart
        label="Messages by status; each bar opens its messages in History"
        bars={bars}
        line={of.usual}
        heightPx={220}
        onShow={setShown}
      />
      <Text size="sm" mih="2.9em" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {shown === null ? (
          <Text span inherit c="dimmed">
            Hover for details, click to open messages. The last bar is incomplete.
          </Text>
        ) : (
          bars[shown]?.description
        )}
      </Text>
      <Legend of={of} />
    </Stack>
  )
}

function countsOf(of: TrafficAnswer, i: number): string {
  const bar = of.bars[i]
  if (bar === undefined) return ''
  const states = barStates
    .filter(({ state }) => bar[state] > 0)
    .map(({ state, name }) => `${formatNumber(bar[state])} ${name.toLowerCase()}`)
  const usual = `${formatNumber(of.usual[i] ?? 0)} a week earlier`
  if (bar.accepted === 0) return `no messages, ${usual}`
  return `${formatNumber(bar.accepted)} ${bar.accepted === 1 ? 'message' : 'messages'} (${states.join(', ')}), ${usual}`
}

/** Lists the states in the chart with their totals; each opens its messages. */
function Legend({ of }: { of: TrafficAnswer }) {
  const place = useAccountPlace()
  const follow = useFollow()
  const sums = barStates.map((state) => ({
    ...state,
    sum: of.bars.reduce((sum, bar) => sum + bar[state.state], 0),
  }))
  return (
    <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {sums
        .filter(({ sum }) => sum > 0)
        .map(({ state, name, ground, means, filter, sum }) => {
          const href = historyAddress(place, { filter, fromMs: of.fromMs, toMs: of.toMs })
          return (
            <li key={state}>
              <Anchor href={href} onClick={follow} size="sm" c="inherit" underline="hover" title={means}>
                <span className={styles['swatch']} style={{ background: ground }} /> {name}{' '}
                <Text span inherit fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
                  {formatNumber(sum)}
                </Text>
              </Anchor>
            </li>
          )
        })}
      <li>
        <Text span size="sm" title="Messages accepted in the same period a week earlier.">
          <span className={styles['swatchLine']} /> A week earlier
        </Text>
      </li>
    </Group>
  )
}
