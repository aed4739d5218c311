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

/** Returns the kind of a device, and whether it is shared. */
export const kindOf = ({ label, shared }: Pick<ConsoleDevice, 'label' | 'shared'>): string =>
  `${capitalized(label)}${shared ? ', shared by the operator' : ''}`

/** Returns the name of a device; accounts do not see the names of shared ones. */
export const nameOf = ({ name, label }: Pick<ConsoleDevice, 'name' | 'label'>): string =>
  name ?? `Shared ${label}`

/** Returns a label as it begins a line. */
export const capitalized = (label: string): string => label.charAt(0).toUpperCase() + label.slice(1)
