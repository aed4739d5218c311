import { Anchor } from '@mantine/core'
import { ShownOnce } from '../ui/shown-once.tsx'

/** The one time that the secret of an endpoint is shown. */
export const NewSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <ShownOnce what="secret" text={secret} onClose={onClose}>
    Your program verifies with it that a request is ours. The signature is that of{' '}
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
    , for which there are libraries in every language.
  </ShownOnce>
)
