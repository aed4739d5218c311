import type { NotificationData } from '@mantine/notifications'

/** Shows a notification. Its code is loaded after the page (main.tsx): it would add 14 KiB to the first load. */
export async function notify(note: Pick<NotificationData, 'message' | 'color'>): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show(note)
}
