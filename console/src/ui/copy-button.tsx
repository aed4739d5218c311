import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

/** Copies a text and says that it did. `of` names what is copied, for those who hear the page. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <Button size="xs" variant="default" aria-label={`Copy ${of}`} onClick={() => clipboard.copy(text)}>
      <span aria-live="polite">{clipboard.copied ? 'Copied' : 'Copy'}</span>
    </Button>
  )
}
