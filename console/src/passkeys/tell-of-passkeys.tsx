import { Anchor } from '@mantine/core'

/** Tells who has a new password what it does not change: passkeys that were added before sign in as before. */
export function tellOfPasskeys(count: number): void {
  if (count > 0) void tell(count)
}

async function tell(count: number): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  const [what, them] =
    count === 1 ? ['1 passkey still signs you in', 'it'] : [`${count} passkeys still sign you in`, 'them']
  notifications.show({
    color: 'yellow',
    // It stays until it was read: who has lost a password may have lost more.
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <>
        {what}, whatever the password.{' '}
        <Anchor inherit href="/profile#passkeys">
          Look at {them}
        </Anchor>
        , and remove what you do not know.
      </>
    ),
  })
}
