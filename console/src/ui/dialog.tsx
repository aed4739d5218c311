import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'

export interface DialogProperties {
  opened: boolean
  onClose: () => void
  /** Only what stands in it closes it: neither a key nor a click beside it. */
  isLocked?: boolean
  title: string
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}

const DialogWindow = lazyPart(async () => (await import('./dialog-window.tsx')).DialogWindow)

/** A modal window. What it is made of is loaded when it is first opened, as no page needs it before; so is what stands in it, if that is lazy. */
export function Dialog(properties: DialogProperties) {
  const [wasOpened, setWasOpened] = useState(properties.opened)
  if (properties.opened && !wasOpened) setWasOpened(true)
  return wasOpened ? (
    <Suspense>
      <DialogWindow {...properties} />
    </Suspense>
  ) : null
}
