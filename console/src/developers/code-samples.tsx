import { Anchor, Code, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Language, languages, sampleOf } from './samples.ts'

/** One send in five languages, with the address of this server, and the key when it has just been made. */
export function CodeSamples({ token }: { token: string | null }) {
  const [language, setLanguage] = useState<Language>('curl')
  const sample = sampleOf(language, { url: window.location.origin, key: token ?? '<API_KEY>' })
  return (
    <Paper withBorder p="md">
      <Stack>
        <Group justify="space-between">
          <Title order={2}>Send an SMS</Title>
          <SegmentedControl
            size="xs"
            aria-label="Language"
            value={language}
            onChange={(value) => setLanguage(value)}
            data={[...languages]}
          />
        </Group>
        <Code block tabIndex={0} role="region" aria-label={`Code in ${language}`}>
          {sample}
        </Code>
        <Group justify="space-between">
          <Text size="sm">
            The number +15005550006 delivers with a test key;{' '}
            <Anchor href="/docs/problems">every refusal is explained</Anchor>.
          </Text>
          <CopyButton text={sample} of="the code" />
        </Group>
      </Stack>
    </Paper>
  )
}
