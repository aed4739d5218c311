import { CloseButton, Group, Modal } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Later } from './later.tsx'
import type { DialogProperties } from './dialog.tsx'

/** Renders the window of a `Dialog`. Mantine's own head is a `<header>`: in a dialog, a second banner of the page. */
export function DialogWindow(properties: DialogProperties) {
  const { opened, onClose, isLocked = false, title, size = 'md', children } = properties
  const [isShown, setShown] = useState(false)
  // Open one render later: a modal records the focused element when it opens, but not when it is mounted open.
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
      {/* Mantine labels it by its title only one render after it is shown, so it has its own label too. */}
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
