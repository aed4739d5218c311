import { useParams } from '@tanstack/react-router'
import type { Place } from './call.ts'

/** The account and mode in the address of this page; null on pages that are about none. */
export function usePlace(): Place | null {
  const { accountId, mode } = useParams({ strict: false })
  return accountId === undefined ? null : { accountId, mode: mode === 'test' ? 'test' : 'live' }
}

/** The address of a page of an account; of its overview when no page is named. */
export const pathOf = ({ accountId, mode }: Place, page = ''): string => `/a/${accountId}/${mode}${page}`

/** The same as `usePlace` on pages below an account. */
export function useAccountPlace(): Place {
  const place = usePlace()
  if (place === null) throw new Error('This page is about no account.')
  return place
}
