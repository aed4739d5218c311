import { Code, Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** Shows a link or key with a copy button. `of` names it for screen readers. */
export const ToCopy = ({ text, of, testId }: { text: string; of: string; testId?: string }) => (
  <Group gap="xs">
    <Code data-testid={testId} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Code>
    <CopyButton text={text} of={of} />
  </Group>
)
