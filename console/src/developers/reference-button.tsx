import { Button } from '@mantine/core'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { keyToTry } from './scopes.ts'

/** Storage key under which the reference page finds its API key. It is removed when the tab is closed. */
const storageKey = 'onesixty-reference-key'
const hourMs = 3_600_000

/** Opens the API reference; in test mode with a new key that expires after 1 h, so that requests work as shown. */
export function ReferenceButton() {
  const { mode } = useAccountPlace()
  const create = useChange('keys/create', ['keys/list'])
  const open = (): void =>
    create.mutate(keyToTry('API reference', Date.now() + hourMs), {
      onSuccess: ({ token }) => {
        sessionStorage.setItem(storageKey, token)
        window.location.assign('/docs')
      },
    })
  if (mode === 'live')
    return (
      <Button size="xs" variant="default" component="a" href="/docs">
        Open API reference
      </Button>
    )
  return (
    <>
      <CallFault error={create.error} />
      <Button size="xs" variant="default" loading={create.isPending} onClick={open}>
        Open API reference with a test key
      </Button>
    </>
  )
}
