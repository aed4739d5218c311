import { Group, Paper, Stack, Text } from '@mantine/core'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'

/** Shows the text by parts, as the network carries it. */
export function MessageParts({ page: { message, partTexts } }: { page: MessagePage }) {
  const units = message.encoding === 'gsm7' ? 'GSM-7 septets' : 'UTF-16 units'
  return (
    <Paper withBorder p="md" component="section" aria-label="Text">
      <Stack gap="sm">
        {partTexts.length === 0 ? (
          <Text c="dimmed" fs="italic">
            The text was erased.
          </Text>
        ) : (
          partTexts.map((text, i) => (
            <Part key={i} text={text} number={partTexts.length > 1 ? i + 1 : null} />
          ))
        )}
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {message.parts === 1 ? '1 part' : `${message.parts} parts`} · {message.units} {units}
            {message.parts_sent > 0 && message.parts_sent < message.parts
              ? ` · ${message.parts_sent} accepted by the network`
              : ''}
          </Text>
        </Group>
      </Stack>
    </Paper>
  )
}

function Part({ text, number }: { text: string; number: number | null }) {
  return (
    <Group align="start" wrap="nowrap" gap="sm">
      {number === null ? null : (
        <Text size="xs" c="dimmed" w={16} ta="right" mt={4} aria-label={`Part ${number}`}>
          {number}
        </Text>
      )}
      <Text dir="auto" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    </Group>
  )
}
