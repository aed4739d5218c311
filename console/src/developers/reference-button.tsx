import { Button } from '@mantine/core'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { keyToTry } from './scopes.ts'

/** Under this name the reference page finds the key that it tries requests with; it goes when the tab is closed. */
const keyPlace = 'onesixty-reference-key'
const hourMs = 3_600_000

/** Opens the API reference with a test key of its own, which ends after an hour: requests there run as they stand. */
export function ReferenceButton() {
  const { mode } = useAccountPlace()
  const create = useChange('keys/create', ['keys/list'])
  const open = (): void =>
    create.mutate(keyToTry('API reference', Date.now() + hourMs), {
      onSuccess: ({ token }) => {
        sessionStorage.setItem(keyPlace, token)
        window.location.assign('/docs')
      },
    })
  if (mode === 'live')
    return (
      <Button size="xs" variant="default" component="a" href="/docs">
        API reference
      </Button>
    )
  return (
    <>
      <CallFault error={create.error} />
      <Button size="xs" variant="default" loading={create.isPending} onClick={open}>
        API reference with a test key
      </Button>
    </>
  )
}
