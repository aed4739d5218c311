import { useQueryClient } from '@tanstack/react-query'
import { useLive } from '../api/live.ts'

/** Asks anew for what is shown of devices when the server tells that something of them has changed. */
export function useDevicesLive(): void {
  const client = useQueryClient()
  useLive('devices', (event) => {
    // The stream begins: what the page has just asked for is as new.
    if ((event as { kind: string }).kind === 'begins') return
    for (const name of ['devices/list', 'devices/one', 'devices/phone-progress'])
      void client.invalidateQueries({ queryKey: [name] })
  })
}
