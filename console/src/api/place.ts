import { useParams } from '@tanstack/react-router'
import type { Place } from './call.ts'

/** Returns the account and mode in the URL of this page, or null on pages outside of an account. */
export function usePlace(): Place | null {
  const { accountId, mode } = useParams({ strict: false })
  return accountId === undefined ? null : { accountId, mode: mode === 'test' ? 'test' : 'live' }
}

/** Returns the path of an account page. Default: its overview. */
export const pathOf = ({ accountId, mode }: Place, page = ''): string => `/a/${accountId}/${mode}${page}`

/** Like `usePlace`, for account pages: never null. */
export function useAccountPlace(): Place {
  const place = usePlace()
  if (place === null) throw new Error('This page is outside of an account.')
  return place
}
