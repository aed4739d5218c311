import { CloseButton, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'

/** A modal window. Mantine's own head is a `<header>`, which inside a dialog would be a second banner of the page. */
export function Dialog(properties: {
  opened: boolean
  onClose: () => void
  title: string
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}) {
  const { opened, onClose, title, size = 'md', children } = properties
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size} transitionProps={{ duration: 100 }}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md" pb={0}>
          <Modal.Title fw={600}>{title}</Modal.Title>
          <CloseButton aria-label="Close" onClick={onClose} />
        </Group>
        <Modal.Body pt="md">{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
