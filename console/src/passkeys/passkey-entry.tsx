import { Button, Divider, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { useEntry } from '../sign-in/enter.ts'
import { CallFault } from '../ui/call-fault.tsx'
import type { UsedPasskey } from './browser-passkeys.ts'
import { passkeyFault } from './passkey-fault.ts'

/** What follows a sign-in: a page to open, or a callback on the current page. */
type AfterEntry = { to: string } | { onIn: () => void }

/** Signs in with a passkey: by a button, or by the browser's suggestion in the e-mail field. */
export function PasskeyEntry(after: AfterEntry) {
  const { data: session } = useQuery(sessionQuery)
  if (session === undefined || session.passkeyOrigin === null) return null
  const fault = passkeyFault(session.passkeyOrigin)
  if (fault === null) return <Entry {...after} />
  return (
    <Text size="sm" c="dimmed">
      {fault}
    </Text>
  )
}

function Entry(after: AfterEntry) {
  const enter = useEntry(
    async (use: () => Promise<UsedPasskey>) => change('session/sign-in-with-passkey', null, await use()),
    after,
  )
  useSuggestion(enter.mutate, !enter.isIdle)
  return (
    <>
      <Divider label="or" />
      <Button variant="default" loading={enter.isPending} onClick={() => enter.mutate(() => ask(false))}>
        Use a passkey
      </Button>
      <CallFault error={enter.error} />
    </>
  )
}

async function ask(isOffer: boolean): Promise<UsedPasskey> {
  const { usePasskey } = await import('./browser-passkeys.ts')
  return usePasskey(await change('session/ask-passkey', null, {}), { isOffer })
}

/** Challenges expire after 5 minutes: the suggestion is renewed before. */
const renewMs = 4 * 60_000

/**
 * Suggests passkeys in the e-mail field until one is used in any way, or the page is left. A declined suggestion is not
 * repeated.
 */
function useSuggestion(onUse: (use: () => Promise<UsedPasskey>) => void, isResting: boolean): void {
  useEffect(() => {
    if (isResting) return undefined
    let isLeft = false
    let leave = (): void => undefined
    const offer = async (): Promise<void> => {
      const { offersPasskeys, cancelRequest } = await import('./browser-passkeys.ts')
      if (isLeft || !(await offersPasskeys())) return
      leave = cancelRequest
      const passkey = await ask(true)
      if (!isLeft) onUse(() => Promise.resolve(passkey))
    }
    // The user did not request it, so failures are ignored.
    const tryOffer = (): void => void offer().catch(() => undefined)
    tryOffer()
    const renewing = setInterval(tryOffer, renewMs)
    return () => {
      isLeft = true
      clearInterval(renewing)
      leave()
    }
  }, [onUse, isResting])
}
