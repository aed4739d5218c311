import { Code, Group, Stack, Text } from '@mantine/core'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'
import { formatExact, formatSpan } from '../ui/format.ts'

const states: Record<MessagePage['attempts'][number]['state'], string> = {
  handing_over: 'in flight',
  accepted: 'accepted',
  refused: 'rejected',
  unknown: 'outcome unknown',
}

/** Why a device got the message, where it was not one of the first stage. */
const reasons: Readonly<Record<string, string>> = {
  offline_before: 'no device before worked',
  busy_before: 'devices before had no room',
  waited: 'the message had waited long enough',
  refused_before: 'a device before had refused it',
  trial: 'a device that had failed was probed',
}

/** Lists the attempts of a message: result, network IDs of the parts, and the network's code. */
export function MessageAttempts({ page: { attempts, deviceNames, message } }: { page: MessagePage }) {
  return (
    <Stack gap="md">
      {message.attempts > attempts.length ? (
        <Text size="sm" c="dimmed">
          The last {attempts.length} of {message.attempts}.
        </Text>
      ) : null}
      {attempts.map((attempt) => (
        <Stack key={attempt.id} gap={4}>
          <Group gap="xs" justify="space-between" align="baseline">
            <Text size="sm" fw={600}>
              {attempt.number}. {deviceNames[attempt.deviceId] ?? 'Shared device'}: {states[attempt.state]}
              {attempt.outcome === null || attempt.outcome === 'accepted' ? '' : `, ${attempt.outcome}`}
            </Text>
            <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {formatExact(attempt.startedAtMs)}
              <Text span inherit c="dimmed">
                {attempt.endedAtMs === null
                  ? ''
                  : ` · took ${formatSpan(attempt.endedAtMs - attempt.startedAtMs)}`}
              </Text>
            </Text>
          </Group>
          {attempt.why === null ? null : (
            <Text size="sm" c="dimmed">
              {reasons[attempt.why] ?? attempt.why}
            </Text>
          )}
          {attempt.sim === null ? null : (
            <Text size="sm">
              SIM {attempt.sim}
              {attempt.phoneParts === null
                ? ''
                : `, in ${attempt.phoneParts} ${attempt.phoneParts === 1 ? 'part' : 'parts'}`}
            </Text>
          )}
          {attempt.networkCode === null ? null : (
            <Codes label="Network code" values={[attempt.networkCode]} />
          )}
          {attempt.networkIds.length === 0 ? null : (
            <Codes
              label={attempt.networkIds.length === 1 ? 'Network ID' : 'Network IDs'}
              values={attempt.networkIds}
            />
          )}
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {attempt.id}
          </Text>
        </Stack>
      ))}
    </Stack>
  )
}

function Codes({ label, values }: { label: string; values: readonly string[] }) {
  return (
    <Group gap={6}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {values.map((value) => (
        <Code key={value} style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Code>
      ))}
    </Group>
  )
}
