import { Anchor, Code, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Language, languages, sampleOf } from './samples.ts'

/** Code that sends one SMS, in five languages, with the URL of this server, and the API key if it was just created. */
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
            Messages to +15005550006 are delivered with a test key. See also:{' '}
            <Anchor href="/docs/problems">all errors</Anchor>
          </Text>
          <CopyButton text={sample} of="the code" />
        </Group>
      </Stack>
    </Paper>
  )
}
