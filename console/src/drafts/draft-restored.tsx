import { Button, Group, Text } from '@mantine/core'

/** Says that the text of a form was typed before the page was reloaded. */
export const DraftRestored = ({ onDiscard }: { onDiscard: () => void }) => (
  <Group gap="xs" role="status">
    <Text size="sm" c="dimmed">
      Draft restored
    </Text>
    <Button size="compact-xs" variant="default" onClick={onDiscard}>
      Discard
    </Button>
  </Group>
)
