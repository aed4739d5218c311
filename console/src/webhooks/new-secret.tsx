import { Anchor } from '@mantine/core'
import { ShownOnce } from '../ui/shown-once.tsx'

/** Shows the new secret of an endpoint, the only time that it is shown. */
export const NewSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <ShownOnce what="secret" text={secret} onClose={onClose}>
    Your application uses it to verify the signature of each request, which follows{' '}
    <Anchor
      href="https://www.standardwebhooks.com/"
      target="_blank"
      rel="noreferrer"
      size="sm"
      underline="always"
      c="inherit"
    >
      Standard Webhooks
    </Anchor>
    . Libraries exist for most languages.
  </ShownOnce>
)
