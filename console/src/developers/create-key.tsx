import { lazyPart } from '../connection/lazy-part.ts'
import { useAccountPlace } from '../api/place.ts'
import { Dialog } from '../ui/dialog.tsx'

const KeyForm = lazyPart(async () => (await import('./key-form.tsx')).KeyForm)

/** Dialog to create an API key. */
export function CreateKey(properties: {
  opened: boolean
  onClose: () => void
  onMade: (token: string) => void
}) {
  const { opened, onClose, onMade } = properties
  const { mode } = useAccountPlace()
  return (
    <Dialog opened={opened} onClose={onClose} title={`Create ${mode} key`}>
      <KeyForm onClose={onClose} onMade={onMade} />
    </Dialog>
  )
}
