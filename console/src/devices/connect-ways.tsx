import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'
import { AddDevice } from './add-device.tsx'
import { ConnectPhone } from './connect-phone.tsx'

type Way = 'android' | 'smpp' | 'simulator'

/** Three ways to a device. */
export function ConnectWays({ onClose }: { onClose: () => void }) {
  const { mode } = useAccountPlace()
  const { data } = useQuery(sessionQuery)
  const isOperator = data?.user?.isOperator === true
  const [way, setWay] = useState<Way>('android')
  const isOpen = way === 'android' || isOperator || (way === 'simulator' && mode === 'test')
  return (
    <Stack>
      <SegmentedControl
        aria-label="What to connect"
        fullWidth
        value={way}
        onChange={setWay}
        data={[
          { value: 'android', label: 'Android' },
          { value: 'smpp', label: 'SMPP link' },
          { value: 'simulator', label: 'Simulator' },
        ]}
      />
      {way === 'android' ? <ConnectPhone isOperator={isOperator} onClose={onClose} /> : null}
      {way !== 'android' && isOpen ? (
        <AddDevice key={way} kind={way} isOperator={isOperator} onClose={onClose} />
      ) : null}
      {isOpen ? null : <Text size="sm">{closed[way]}</Text>}
    </Stack>
  )
}

const closed: Readonly<Record<Way, string>> = {
  android: '',
  smpp: 'A link makes this server connect to another one, so the operator of this server adds it. Give the operator the address, the system id and the password that your provider gave you.',
  simulator: 'A simulator of your own carries test messages only. Switch to Test at the top of the page.',
}
