import { Button, Group, NumberInput, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAccountPlace } from '../../api/place.ts'
import { useCall, useChange } from '../../api/use-call.ts'
import { CallFault } from '../../ui/call-fault.tsx'
import { formatNumber } from '../../ui/format.ts'
import type { Guide } from './guide.ts'

const usualPort = 8080
/** A step of the search takes 0.7 s. */
const lookEveryMs = 700

/** Looks for phones in the networks of the server, and fills in the address of the one that is chosen. */
export function FindPhones({ guide: { login, setLogin } }: { guide: Guide }) {
  const { accountId } = useAccountPlace()
  const [port, setPort] = useState<number | string>(usualPort)
  const search = useChange('devices/find-phones')
  const start = (): void => search.mutate({ accountId, port: typeof port === 'number' ? port : null })
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <NumberInput label="Port" w={100} min={1} max={65_535} value={port} onChange={setPort} hideControls />
        <Button variant="default" loading={search.isPending} onClick={start}>
          Find phones
        </Button>
      </Group>
      {search.isPending ? <Asked accountId={accountId} /> : null}
      <CallFault error={search.error} />
      <Stack gap={4} role="status" align="flex-start">
        {search.data?.asked.map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
        {search.data?.phones.map(({ address, appVersion }) => (
          <Button
            key={address}
            size="compact-sm"
            variant="light"
            aria-pressed={login.address === address}
            onClick={() => setLogin({ ...login, address })}
          >
            Use {address}, app {appVersion}
          </Button>
        ))}
      </Stack>
    </Stack>
  )
}

/** How far the search is. */
function Asked({ accountId }: { accountId: string }) {
  const { data } = useCall('devices/search-progress', { accountId }, { everyMs: lookEveryMs })
  const { asked, of } = data?.progress ?? { asked: 0, of: 0 }
  return (
    <Stack gap={4}>
      <Progress value={(100 * asked) / Math.max(1, of)} aria-label="Addresses asked" />
      <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {of === 0 ? 'Asking …' : `Asked ${formatNumber(asked)} of ${formatNumber(of)} addresses …`}
      </Text>
    </Stack>
  )
}
