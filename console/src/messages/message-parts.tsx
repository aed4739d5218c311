import { Group, Paper, Stack, Text } from '@mantine/core'
import type { MessagePage } from '../../../src/api/console/messages/message-page.ts'

/** The text as the network carries it: each part by itself, so that it shows where a long text was cut. */
export function MessageParts({ page: { message, partTexts } }: { page: MessagePage }) {
  const alphabet = message.encoding === 'gsm7' ? 'septets of GSM-7' : 'units of UCS-2'
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
            {message.parts === 1 ? '1 part' : `${message.parts} parts`} · {message.units} {alphabet}
            {message.parts_sent > 0 && message.parts_sent < message.parts
              ? ` · ${message.parts_sent} of them taken by the network`
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
