import { Anchor } from '@mantine/core'
import type { ChosenPassword } from '../../../src/api/console/sign-in/link-calls.ts'

/** Shows what the first link to an address removed. It may have been added by the owner of the address. */
export function showRemovalNotice(removed: ChosenPassword['removed']): void {
  const summary = removed === null ? null : summaryOf(removed)
  if (summary !== null) void show(summary)
}

function summaryOf({ secondFactor, passkeys }: NonNullable<ChosenPassword['removed']>): string | null {
  const counted = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`
  if (passkeys === 0) return secondFactor ? 'The second factor was removed' : null
  return secondFactor
    ? `The second factor and ${counted} were removed`
    : `${counted} ${passkeys === 1 ? 'was' : 'were'} removed`
}

async function show(summary: string): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({
    color: 'yellow',
    // Shown until it is closed: later sign-ins do not show it again.
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <>
        {summary}, added before this address was confirmed.{' '}
        <Anchor inherit href="/profile">
          Add your own again
        </Anchor>
        .
      </>
    ),
  })
}
