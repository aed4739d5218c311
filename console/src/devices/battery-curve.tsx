import { Group, Stack, Text } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'

const width = 1000
const height = 60
/** Maximum gap between samples that is drawn as a line, as a share of the span: 1 h of a day. */
const maxGap = 1 / 24

/** Curve of the battery reports of a phone, about one every 10 minutes. */
export function BatteryCurve({ device }: { device: ConsoleDevice }) {
  const { samples, lane, report } = device
  const battery = report?.battery ?? null
  const points = samples.map(({ at, battery: percent }) => ({ at, percent }))
  if (battery === null && points.length === 0) return null
  const scale = width / (lane.untilMs - lane.fromMs)
  const lowest = points.length === 0 ? null : Math.min(...points.map(({ percent }) => percent))
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Battery{battery === null ? '' : ` ${battery.percent}%${battery.charging ? ', charging' : ''}`}
        </Text>
        {lowest === null ? null : (
          <Text size="xs" c="dimmed">
            lowest {lowest}%
          </Text>
        )}
      </Group>
      {points.length < 2 ? null : (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          width="100%"
          height={height}
          role="img"
          aria-label={`Battery from ${points[0]?.percent}% to ${points.at(-1)?.percent}%, lowest ${lowest}%`}
        >
          <line x1={0} x2={width} y1={height} y2={height} stroke="var(--mantine-color-default-border)" />
          <path
            d={lineOf((lane.untilMs - lane.fromMs) * maxGap, points, ({ at, percent }) => [
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
  maxGapMs: number,
  points: readonly T[],
  place: (of: T) => [x: number, y: number],
): string {
  return points
    .map((sample, i) => {
      const before = points[i - 1]
      const [x, y] = place(sample)
      const isJoined = before !== undefined && sample.at - before.at <= maxGapMs
      return `${isJoined ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
