import { CloseButton, Group, Modal } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Later } from './later.tsx'
import type { DialogProperties } from './dialog.tsx'

/** The window of a `Dialog`. Mantine's own head is a `<header>`, which inside a dialog would be a second banner of the page. */
export function DialogWindow(properties: DialogProperties) {
  const { opened, onClose, isLocked = false, title, size = 'md', children } = properties
  const [isShown, setShown] = useState(false)
  // One step later: a modal gives the focus back to where it was when it opened, and one that begins open does not look.
  useEffect(() => setShown(opened), [opened])
  return (
    <Modal.Root
      opened={isShown}
      onClose={onClose}
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      size={size}
      transitionProps={{ duration: 100 }}
    >
      <Modal.Overlay />
      {/* Named by itself too: Mantine names it after its title only one render after it is shown. */}
      <Modal.Content aria-label={title}>
        <Group justify="space-between" wrap="nowrap" p="md" pb={0}>
          <Modal.Title fw={600}>{title}</Modal.Title>
          {isLocked ? null : <CloseButton aria-label="Close" onClick={onClose} />}
        </Group>
        <Modal.Body pt="md">
          <Later height={200}>{children}</Later>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
