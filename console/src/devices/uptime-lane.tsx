import { Group, Stack, Text } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { useId } from 'react'
import { formatExact } from '../ui/format.ts'
import { reasonName } from './device-state.tsx'

type Lane = ConsoleDevice['lane']
type Stretch = Lane['stretches'][number]

const fills: Readonly<Record<Stretch['status'], string>> = {
  online: 'var(--mantine-color-teal-6)',
  degraded: 'var(--mantine-color-yellow-5)',
  offline: 'var(--mantine-color-red-6)',
  pending: 'var(--mantine-color-gray-5)',
  disabled: 'var(--mantine-color-gray-5)',
  unknown: 'none',
  unwatched: '',
}

const labels: Readonly<Record<Stretch['status'], string>> = {
  online: 'online',
  degraded: 'degraded',
  offline: 'offline',
  pending: 'pending',
  disabled: 'paused',
  unknown: 'unknown',
  unwatched: 'server not running',
}

/** In units of the bar's own view box. */
const width = 1000
const height = 20
/** Minimum width of a stretch, so that short ones stay visible. */
const minWidth = 4

/** Bar of the states of a device over time. It has gaps while no server ran: the state is unknown. */
export function UptimeBar({ lane, name }: { lane: Lane; name: string }) {
  const { fromMs, untilMs, stretches } = lane
  const hatch = useId()
  const scale = width / (untilMs - fromMs)
  const shares = sharesOf(lane)
  const summary =
    shares.length === 0
      ? labels.unknown
      : shares.map(([status, share]) => `${labels[status]} ${percent(share)}`).join(', ')
  return (
    <Stack gap={2}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        width="100%"
        height={height}
        role="img"
        aria-label={`${name} in the last ${spanOf(lane)}: ${summary}`}
      >
        <defs>
          <pattern id={hatch} width={8} height={height} patternUnits="userSpaceOnUse">
            <rect width={2} height={height} fill="var(--mantine-color-dimmed)" opacity={0.35} />
          </pattern>
        </defs>
        <rect width={width} height={height} fill="var(--mantine-color-default-border)" opacity={0.5} />
        {stretches.map((stretch) => (
          <rect
            key={stretch.fromMs}
            x={Math.min(width - minWidth, (stretch.fromMs - fromMs) * scale)}
            width={Math.max(minWidth, (stretch.untilMs - stretch.fromMs) * scale)}
            height={height}
            fill={stretch.status === 'unwatched' ? `url(#${hatch})` : fills[stretch.status]}
            pointerEvents="all"
          >
            <title>{describe(stretch)}</title>
          </rect>
        ))}
      </svg>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {spanOf(lane)} ago
        </Text>
        <Text size="xs" c="dimmed">
          now
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        {summary}
      </Text>
    </Stack>
  )
}

const describe = ({ status, reasons, fromMs, untilMs }: Stretch): string =>
  `${[labels[status], ...reasons.map(reasonName)].join(', ')}: ${formatExact(fromMs)} – ${formatExact(untilMs)}`

/** Returns the share of each state in the known time, largest first. */
function sharesOf({ stretches }: Lane): [Stretch['status'], number][] {
  const lengths = new Map<Stretch['status'], number>()
  for (const { status, ...stretch } of stretches)
    if (status !== 'unknown')
      lengths.set(status, (lengths.get(status) ?? 0) + stretch.untilMs - stretch.fromMs)
  const whole = [...lengths.values()].reduce((sum, length) => sum + length, 0)
  return [...lengths]
    .map(([status, length]): [Stretch['status'], number] => [status, length / whole])
    .toSorted(([, a], [, b]) => b - a)
}

/** Formats a share, never rounded up to 100% or down to 0%. */
function percent(share: number): string {
  const rounded = Math.round(share * 1000) / 10
  if (rounded >= 100) return share < 1 ? '>\u00a099.9%' : '100%'
  return rounded === 0 ? '<\u00a00.1%' : `${rounded}%`
}

function spanOf({ fromMs, untilMs }: Lane): string {
  const hours = Math.round((untilMs - fromMs) / 3_600_000)
  return hours <= 24 ? `${hours} h` : `${Math.round(hours / 24)} d`
}
