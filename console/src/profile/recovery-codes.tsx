import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'

/** The codes for the day on which the app is lost. `onShown` hears whether they are on the page. */
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
        Each of these replaces a code of the app once. They are shown this once: keep them where your phone is
        not.
      </Text>
      <SimpleGrid cols={2} spacing="xs" data-testid="recovery-codes">
        {codes.map((code) => (
          <Code key={code} ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} of="the recovery codes" />
        <Button onClick={onDone}>I have kept them</Button>
      </Group>
    </Stack>
  )
}
