import { ShownOnce } from '../ui/shown-once.tsx'

/** Shows a new API token, the only time that it is shown. */
export const NewToken = ({ token, onClose }: { token: string; onClose: () => void }) => (
  <ShownOnce what="token" text={token} onClose={onClose}>
    Only its hash is stored. It gives access to all accounts: protect it like your password.
  </ShownOnce>
)
