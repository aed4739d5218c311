import { ShownOnce } from '../ui/shown-once.tsx'

/** The one time that a token is shown. */
export const NewToken = ({ token, onClose }: { token: string; onClose: () => void }) => (
  <ShownOnce what="token" text={token} onClose={onClose}>
    Only its hash is stored. It sees every account: keep it as you keep your password.
  </ShownOnce>
)
