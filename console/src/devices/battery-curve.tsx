import { Group, Stack, Text } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'

const width = 1000
const height = 60
/** Longer without a word, as a part of the span, is no line: nobody knows what was between. An hour of a day. */
const longestGap = 1 / 24

/** The battery of a phone as it told it, about every ten minutes. */
export function BatteryCurve({ device }: { device: ConsoleDevice }) {
  const { samples, lane, report } = device
  const battery = report?.battery ?? null
  const told = samples.map(({ at, battery: percent }) => ({ at, percent }))
  if (battery === null && told.length === 0) return null
  const scale = width / (lane.untilMs - lane.fromMs)
  const lowest = told.length === 0 ? null : Math.min(...told.map(({ percent }) => percent))
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Battery{battery === null ? '' : ` ${battery.percent} %${battery.charging ? ', charging' : ''}`}
        </Text>
        {lowest === null ? null : (
          <Text size="xs" c="dimmed">
            lowest {lowest} %
          </Text>
        )}
      </Group>
      {told.length < 2 ? null : (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          width="100%"
          height={height}
          role="img"
          aria-label={`Battery from ${told[0]?.percent} % to ${told.at(-1)?.percent} %, lowest ${lowest} %`}
        >
          <line x1={0} x2={width} y1={height} y2={height} stroke="var(--mantine-color-default-border)" />
          <path
            d={lineOf((lane.untilMs - lane.fromMs) * longestGap, told, ({ at, percent }) => [
              (at - lane.fromMs) * scale,
              height - (percent / 100) * height,
            ])}
            fill="none"
            stroke="var(--mantine-color-indigo-5)"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      )}
    </Stack>
  )
}

function lineOf<T extends { at: number }>(
  longestGapMs: number,
  told: readonly T[],
  place: (of: T) => [x: number, y: number],
): string {
  return told
    .map((sample, i) => {
      const before = told[i - 1]
      const [x, y] = place(sample)
      const isJoined = before !== undefined && sample.at - before.at <= longestGapMs
      return `${isJoined ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
