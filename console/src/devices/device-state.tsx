import { Badge, Group, Text } from '@mantine/core'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { useIsCurrent } from '../connection/connection-bar.tsx'
import { TimeFor } from '../ui/time-ago.tsx'

const stateColors: Readonly<Record<ConsoleDevice['status'], string>> = {
  online: 'teal',
  degraded: 'yellow',
  offline: 'red',
  pending: 'gray',
  disabled: 'gray',
}

/** Shows a state with its colour, reasons and duration; in grey while the connection is lost. */
export function DeviceState({ device }: { device: Pick<ConsoleDevice, 'status' | 'reasons' | 'sinceMs'> }) {
  const { status, reasons, sinceMs } = device
  const isCurrent = useIsCurrent()
  return (
    <Group gap="xs">
      <Badge variant="light" color={isCurrent ? stateColors[status] : 'gray'}>
        {status === 'disabled' ? 'paused' : status}
      </Badge>
      {reasons.length === 0 ? null : <Text size="sm">{reasons.map(reasonName).join(', ')}</Text>}
      {sinceMs === null ? null : (
        <Text size="sm" c="dimmed">
          <TimeFor since={sinceMs} />
        </Text>
      )}
    </Group>
  )
}

/** Formats a reason. Reasons are an open list, so there is no table of labels. */
export const reasonName = (reason: string): string => reason.replaceAll('_', ' ')

const kinds: Readonly<Record<string, string>> = {
  android: 'Android phone',
  smpp: 'SMPP connection',
  simulator: 'Simulator',
}

/** Returns the kind of a device, and whether it is shared. */
export const kindOf = ({ kind, shared }: Pick<ConsoleDevice, 'kind' | 'shared'>): string =>
  `${kinds[kind] ?? kind}${shared ? ', shared by the operator' : ''}`

/** Returns the name of a device; accounts do not see the names of shared ones. */
export const nameOf = ({ name, kind }: Pick<ConsoleDevice, 'name' | 'kind'>): string =>
  name ?? sharedNames[kind] ?? `Shared ${kind}`

const sharedNames: Readonly<Record<string, string>> = {
  android: 'Shared Android phone',
  smpp: 'Shared SMPP connection',
  simulator: 'Shared simulator',
}
