import { Badge, Group, Text } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { useIsCurrent } from '../connection/connection-bar.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

const stateColors: Readonly<Record<ConsoleDevice['status'], string>> = {
  online: 'teal',
  degraded: 'yellow',
  offline: 'red',
  pending: 'gray',
  disabled: 'gray',
}

/** A state by word and colour, why, and since when; in grey while the connection is lost. */
export function DeviceState({ device }: { device: Pick<ConsoleDevice, 'status' | 'reasons' | 'sinceMs'> }) {
  const { status, reasons, sinceMs } = device
  const isCurrent = useIsCurrent()
  return (
    <Group gap="xs">
      <Badge variant="light" color={isCurrent ? stateColors[status] : 'gray'}>
        {status === 'disabled' ? 'paused' : status}
      </Badge>
      {reasons.length === 0 ? null : <Text size="sm">{reasons.map(wordsOf).join(', ')}</Text>}
      {sinceMs === null ? null : (
        <Text size="sm" c="dimmed">
          since <TimeAgo at={sinceMs} />
        </Text>
      )}
    </Group>
  )
}

/** Reasons are an open list: each reads as its words. */
export const wordsOf = (reason: string): string => reason.replaceAll('_', ' ')

const kinds: Readonly<Record<string, string>> = {
  android: 'Android phone',
  smpp: 'SMPP link',
  simulator: 'Simulator',
}

/** What a device is, in words. */
export const kindOf = ({ kind, shared }: Pick<ConsoleDevice, 'kind' | 'shared'>): string =>
  `${kinds[kind] ?? kind}${shared ? ', shared by the operator' : ''}`

/** Shared devices have no name to tell. */
export const nameOf = ({ name, kind }: Pick<ConsoleDevice, 'name' | 'kind'>): string =>
  name ?? `Shared ${(kinds[kind] ?? kind).toLowerCase()}`
