import { lazyPart } from '../connection/lazy-part.ts'
import { Dialog } from '../ui/dialog.tsx'

const ConnectWays = lazyPart(async () => (await import('./connect-ways.tsx')).ConnectWays)

/** Dialog to connect a device. */
export function ConnectDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Connect device" size="lg">
      <ConnectWays onClose={onClose} />
    </Dialog>
  )
}
