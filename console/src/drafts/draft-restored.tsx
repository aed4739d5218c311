import { Button, Group, Text } from '@mantine/core'

/** That what stands in a form was typed before the page was loaded again. */
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
