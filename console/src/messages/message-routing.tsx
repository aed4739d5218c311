import { Stack, Text } from '@mantine/core'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'

/** Lists the stages of the way of a queued message: the devices of each, and what they are for it now. */
export function MessageRouting({ page: { routing, deviceNames } }: { page: MessagePage }) {
  return (
    <Stack gap="md">
      {routing.map(({ opens, open, devices }, i) => (
        <Stack key={opens ?? 'first'} gap={4}>
          <Text size="sm" fw={600}>
            {i + 1}. {opens === null ? 'First' : `Opens ${opens}`}
            {open ? '' : ' · not open'}
          </Text>
          {devices.length === 0 ? (
            <Text size="sm" c="dimmed">
              No device
            </Text>
          ) : (
            devices.map(({ id, says }) => (
              <Text key={id} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {id === 'shared' ? 'Shared device' : (deviceNames[id] ?? id)}: {says}
              </Text>
            ))
          )}
        </Stack>
      ))}
    </Stack>
  )
}
