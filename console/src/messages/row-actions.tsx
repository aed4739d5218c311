import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import { Dialog } from '../ui/dialog.tsx'
import { MenuButton } from '../ui/menu-button.tsx'
import styles from './message-list.module.css'

const CancelMessage = lazyPart(async () => (await import('./cancel-message.tsx')).CancelMessage)
const MoveMessage = lazyPart(async () => (await import('./move-message.tsx')).MoveMessage)

/** Menu of a scheduled message in the list. */
export function RowActions({ of }: { of: ListedMessage }) {
  const [moving, move] = useDisclosure()
  const [canceling, cancel] = useDisclosure()
  const to = of.number ?? 'an unknown number'
  const message = {
    id: of.id,
    to,
    held: of.parts,
    isFree: of.isFree,
    isWithDevice: false,
    sendAtMs: of.sendAtMs,
  }
  return (
    <span className={styles['actions']}>
      <MenuButton
        label="Change"
        description={`Change message to ${to}`}
        size="compact-xs"
        sections={[
          [
            { label: 'Reschedule…', run: move.open },
            { label: 'Cancel…', run: cancel.open, color: 'red' },
          ],
        ]}
      />
      <Dialog opened={moving} onClose={move.close} title="Reschedule message">
        <MoveMessage message={message} onClose={move.close} />
      </Dialog>
      <Dialog opened={canceling} onClose={cancel.close} title="Cancel message">
        <CancelMessage message={message} onClose={cancel.close} />
      </Dialog>
    </span>
  )
}
