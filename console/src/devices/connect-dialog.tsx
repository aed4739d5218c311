import { lazyPart } from '../connection/lazy-part.ts'
import { Dialog } from '../ui/dialog.tsx'

const ConnectWays = lazyPart(async () => (await import('./connect-ways.tsx')).ConnectWays)

/** The dialog by which a device is connected. */
export function ConnectDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Connect a device" size="lg">
      <ConnectWays onClose={onClose} />
    </Dialog>
  )
}
