import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import { sessionQuery } from '../api/session.ts'
import { useCall } from '../api/use-call.ts'
import { AddDevice } from './add-device.tsx'
import { ConnectGuide } from './guide/connect-guide.tsx'
import { capitalized } from './device-state.tsx'

/** Forms to connect a device, one for each kind; phones, the most frequent kind, first. */
export function ConnectWays({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(sessionQuery)
  const isOperator = data?.user?.isOperator === true
  const kinds = useCall('devices/kinds', {}).data?.kinds.toSorted(
    (a, b) => Number(b.isPhone) - Number(a.isPhone),
  )
  const [chosen, choose] = useState<string | null>(null)
  // Their names do not fit next to each other there.
  const isNarrow = useMediaQuery('(max-width: 36em)', window.innerWidth <= 576)
  const way = kinds?.find(({ kind }) => kind === chosen) ?? kinds?.[0]
  if (kinds === undefined || way === undefined) return <Skeleton height={200} aria-label="Loading" />
  return (
    <Stack>
      <SegmentedControl
        aria-label="Device kind"
        fullWidth
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        value={way.kind}
        onChange={choose}
        data={kinds.map(({ kind, label }) => ({ value: kind, label: capitalized(label) }))}
      />
      <Way way={way} isOperator={isOperator} onClose={onClose} />
    </Stack>
  )
}

function Way({ way, ...rest }: { way: DeviceKind; isOperator: boolean; onClose: () => void }) {
  if (!way.isAddable) return <Text size="sm">{way.notAdded}</Text>
  return way.isPhone ? (
    <ConnectGuide onClose={rest.onClose} />
  ) : (
    <AddDevice key={way.kind} kind={way} {...rest} />
  )
}
