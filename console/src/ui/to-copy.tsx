import { Code, Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** A link or a key that a person takes elsewhere. `of` names it, for those who hear the page. */
export const ToCopy = ({ text, of, testId }: { text: string; of: string; testId?: string }) => (
  <Group gap="xs">
    <Code data-testid={testId} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Code>
    <CopyButton text={text} of={of} />
  </Group>
)
