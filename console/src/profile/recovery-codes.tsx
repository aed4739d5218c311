import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'

/** Shows the recovery codes for a lost app. `onShown` is called with true while they are visible, then with false. */
export function RecoveryCodes(properties: {
  codes: readonly string[]
  onShown: (shown: boolean) => void
  onDone: () => void
}) {
  const { codes, onShown, onDone } = properties
  useEffect(() => {
    onShown(true)
    return () => onShown(false)
  }, [onShown])
  return (
    <Stack>
      <Text size="sm">
        Each of these replaces a code of the app once. They are shown only once: store them away from your
        phone.
      </Text>
      <SimpleGrid cols={2} spacing="xs" data-testid="recovery-codes">
        {codes.map((code) => (
          <Code key={code} ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} of="recovery codes" />
        <Button onClick={onDone}>I have saved them</Button>
      </Group>
    </Stack>
  )
}
