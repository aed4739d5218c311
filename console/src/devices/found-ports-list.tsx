import { Button, Stack, Text } from '@mantine/core'
import { useCall } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'

/**
 * Lists the serial ports of the server that responds, to fill one in with the name of that server, unless it is the only
 * one. Any other path or address can be typed.
 */
export function FoundPortsList(properties: {
  chosen: string
  onChoose: (path: string, node: string | null) => void
}) {
  const { chosen, onChoose } = properties
  const { data, error } = useCall('devices/ports', {})
  if (data === undefined) return <CallFault error={error} />
  const { node, mayHaveOthers, ports, withoutPort } = data
  return (
    <Stack gap={6} role="group" aria-label="Serial ports" align="flex-start">
      <Text size="xs" c="dimmed">
        {ports.length === 0 ? `No serial port on ${node}.` : `Serial ports on ${node}:`}
      </Text>
      {ports.map(({ path, about, isLikely, faults }) => (
        <Stack key={path} gap={2} align="flex-start">
          <Button
            size="compact-sm"
            variant={isLikely ? 'light' : 'default'}
            aria-pressed={chosen === path}
            onClick={() => onChoose(path, mayHaveOthers ? node : null)}
            // A long path continues on the next line.
            h="auto"
            py={4}
            styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere', textAlign: 'left' } }}
          >
            Use {path}
          </Button>
          <Text size="xs" c="dimmed">
            {isLikely ? 'Likely a modem' : 'Not known as a modem'}
            {about === '' ? '' : `: ${about}`}
          </Text>
          {faults.map((fault) => (
            <Text key={fault} size="xs">
              {fault}
            </Text>
          ))}
        </Stack>
      ))}
      {withoutPort.map(({ name, remedy }) => (
        <Text key={name} size="xs">
          {name}: {remedy}
        </Text>
      ))}
    </Stack>
  )
}
