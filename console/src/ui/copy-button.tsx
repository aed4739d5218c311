import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

/** Copies a text and confirms it. `of` names the text for screen readers. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <Button size="xs" variant="default" aria-label={`Copy ${of}`} onClick={() => clipboard.copy(text)}>
      <span aria-live="polite">{clipboard.copied ? 'Copied' : 'Copy'}</span>
    </Button>
  )
}
