import type { NotificationData } from '@mantine/notifications'

/** Shows a note for a while. What shows it comes after the page (main.tsx): imported at once, it would be 14 KiB of a page's first load. */
export async function notify(note: Pick<NotificationData, 'message' | 'color'>): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show(note)
}
