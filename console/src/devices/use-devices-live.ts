import { useQueryClient } from '@tanstack/react-query'
import { useLive } from '../api/live.ts'

/** Reads devices again after each change, and when the stream opens: it does not report earlier changes. */
export function useDevicesLive(): void {
  const client = useQueryClient()
  useLive(['devices'], () => {
    for (const name of ['devices/list', 'devices/one']) void client.invalidateQueries({ queryKey: [name] })
  })
}
