import { Button } from '@mantine/core'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'

/** Under this name the reference page finds the key that it tries requests with; it goes when the tab is closed. */
const keyPlace = 'onesixty-reference-key'
const hourMs = 3_600_000

/** Opens the API reference with a test key of its own, which ends after an hour: requests there run as they stand. */
export function ReferenceButton() {
  const { mode } = useAccountPlace()
  const create = useChange('keys/create', ['keys/list'])
  const open = async (): Promise<void> => {
    const { token } = await create.mutateAsync({
      name: 'API reference',
      scopes: ['messages:send', 'messages:read', 'status:read', 'balance:read'],
      addresses: [],
      dailyCap: null,
      expiresAt: Date.now() + hourMs,
    })
    sessionStorage.setItem(keyPlace, token)
    window.location.assign('/docs')
  }
  if (mode === 'live')
    return (
      <Button size="xs" variant="default" component="a" href="/docs">
        API reference
      </Button>
    )
  return (
    <Button size="xs" variant="default" loading={create.isPending} onClick={() => void open()}>
      API reference with a test key
    </Button>
  )
}
