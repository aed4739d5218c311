import { ShownOnce } from '../ui/shown-once.tsx'

/** The one time that a key is shown. */
export const NewKey = ({ token, onClose }: { token: string; onClose: () => void }) => (
  <ShownOnce what="key" text={token} onClose={onClose}>
    Only its hash is stored. Whoever has it may do what it may do; keep it out of repositories.
  </ShownOnce>
)
