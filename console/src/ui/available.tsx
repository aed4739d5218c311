import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useIsLive, useLive } from '../api/live.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { formatNumber } from './format.ts'

/** Shows the balance of the account, as the live stream reports it. */
export function Available() {
  const place = useAccountPlace()
  const [available, setAvailable] = useState<number | null>(null)
  const isLive = useIsLive()
  useLive(['balance'], (event) => setAvailable((event as { available: number }).available))
  if (available === null) return isLive ? null : <Text size="sm">(not live)</Text>
  return (
    <Anchor
      component={Link}
      to={pathOf(place)}
      size="sm"
      underline="never"
      c="inherit"
      style={{ whiteSpace: 'nowrap' }}
    >
      <Text span inherit fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {formatNumber(available)}
      </Text>{' '}
      SMS{isLive ? '' : ' (not live)'}
    </Anchor>
  )
}
