import { Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { Dialog } from './dialog.tsx'
import type { PaletteDialog } from './use-palette-entries.ts'

const CreateKey = lazyPart(async () => (await import('../developers/create-key.tsx')).CreateKey)
const NewKey = lazyPart(async () => (await import('../developers/new-key.tsx')).NewKey)
const ConnectDialog = lazyPart(async () => (await import('../devices/connect-dialog.tsx')).ConnectDialog)

/** Renders the forms that the palette opens over the current page. */
export function PaletteDialogs({ shown, onClose }: { shown: PaletteDialog | null; onClose: () => void }) {
  const [token, setToken] = useState<string | null>(null)
  return (
    <Suspense>
      {shown === 'create-key' ? <CreateKey opened onClose={onClose} onMade={setToken} /> : null}
      {shown === 'connect-device' ? <ConnectDialog opened onClose={onClose} /> : null}
      <Dialog opened={token !== null} onClose={() => setToken(null)} title="New key" size="lg">
        {token === null ? null : <NewKey token={token} onClose={() => setToken(null)} />}
      </Dialog>
    </Suspense>
  )
}
