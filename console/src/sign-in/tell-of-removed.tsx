import { Anchor } from '@mantine/core'
import type { ChosenPassword } from '../../../src/api/console/sign-in/link-calls.ts'

/** Tells who has opened the first link to an address what was removed with it: it may have been their own. */
export function tellOfRemoved(removed: ChosenPassword['removed']): void {
  const words = removed === null ? null : wordsOf(removed)
  if (words !== null) void tell(words)
}

function wordsOf({ secondFactor, passkeys }: NonNullable<ChosenPassword['removed']>): string | null {
  const counted = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`
  if (passkeys === 0) return secondFactor ? 'The second factor was removed' : null
  return secondFactor
    ? `The second factor and ${counted} were removed`
    : `${counted} ${passkeys === 1 ? 'was' : 'were'} removed`
}

async function tell(words: string): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({
    color: 'yellow',
    // Shown until it is closed: the next sign-in is another one.
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <>
        {words}, added before this address was confirmed.{' '}
        <Anchor inherit href="/profile">
          Add what is yours
        </Anchor>{' '}
        again.
      </>
    ),
  })
}
