import { Anchor } from '@mantine/core'

/** Shows, after a password was chosen, that existing passkeys still sign in. */
export function showPasskeyNotice(count: number): void {
  if (count > 0) void show(count)
}

async function show(count: number): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  const [what, them] =
    count === 1 ? ['1 passkey still signs you in', 'it'] : [`${count} passkeys still sign you in`, 'them']
  notifications.show({
    color: 'yellow',
    // Shown until it is closed: a user who lost a password may have lost more.
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <>
        {what}, regardless of the password.{' '}
        <Anchor inherit href="/profile#passkeys">
          Review {them}
        </Anchor>{' '}
        and remove any that you do not recognise.
      </>
    ),
  })
}
