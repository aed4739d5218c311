import { Button, Divider, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'
import { useEntry } from '../sign-in/enter.ts'
import { CallFault } from '../ui/call-fault.tsx'
import type { UsedPasskey } from './browser-passkeys.ts'
import { passkeyFault } from './passkey-fault.ts'

/** What follows: a page to open, or the present page goes on. */
type AfterEntry = { to: string } | { onIn: () => void }

/** Signs in by a passkey: by a button, and by what the browser offers where the address is typed. */
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
  useOffer(enter.mutate, !enter.isIdle)
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

/** What the browser was asked is asked anew before its answer would come too late, which is after 5 minutes. */
const renewMs = 4 * 60_000

/** Offers passkeys where the address is typed, until one is used, in whatever way, or the page is left. One that was not taken is not offered again. */
function useOffer(onUse: (use: () => Promise<UsedPasskey>) => void, isResting: boolean): void {
  useEffect(() => {
    if (isResting) return undefined
    let isLeft = false
    let leave = (): void => undefined
    const offer = async (): Promise<void> => {
      const { offersPasskeys, takeBack } = await import('./browser-passkeys.ts')
      if (isLeft || !(await offersPasskeys())) return
      leave = takeBack
      const passkey = await ask(true)
      if (!isLeft) onUse(() => Promise.resolve(passkey))
    }
    // Nobody has asked for it: whoever has none, or types instead, hears nothing of it.
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
