import { useQueryClient } from '@tanstack/react-query'
import { useLive } from '../api/live.ts'

/** Asks anew for what is shown of devices when the server tells that something of them has changed, or begins to tell: what changed before, it does not. */
export function useDevicesLive(): void {
  const client = useQueryClient()
  useLive(['devices'], () => {
    for (const name of ['devices/list', 'devices/one', 'devices/phone-progress'])
      void client.invalidateQueries({ queryKey: [name] })
  })
}
