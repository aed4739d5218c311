import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'

export interface DialogProperties {
  opened: boolean
  onClose: () => void
  /** Only its content can close it: neither Escape nor a click outside. */
  isLocked?: boolean
  title: string
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}

const DialogWindow = lazyPart(async () => (await import('./dialog-window.tsx')).DialogWindow)

/** Renders a modal window. Its code is loaded when it is first opened; so are lazy parts inside it. */
export function Dialog(properties: DialogProperties) {
  const [wasOpened, setWasOpened] = useState(properties.opened)
  if (properties.opened && !wasOpened) setWasOpened(true)
  return wasOpened ? (
    <Suspense>
      <DialogWindow {...properties} />
    </Suspense>
  ) : null
}
