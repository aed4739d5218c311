import { ShownOnce } from '../ui/shown-once.tsx'

/** Shows a new key, the only time that it is shown. */
export const NewKey = ({ token, onClose }: { token: string; onClose: () => void }) => (
  <ShownOnce what="key" text={token} onClose={onClose}>
    Only its hash is stored. Anyone with this key can use it. Keep it out of source control.
  </ShownOnce>
)
