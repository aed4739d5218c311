import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { usePlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'
import { draftPrefix, readDraft, storeDraft } from './draft-storage.ts'

/** What a draft is stored under in this tab: of one user, account and mode. */
export function useDraftName(form: string): string {
  const place = usePlace()
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  return `${draftPrefix}${data?.user?.id ?? ''}:${place?.accountId ?? ''}:${place?.mode ?? ''}:${form}`
}

/**
 * State that outlives a reload of the page, in the browser's session storage: what was typed is not lost by an upgrade or a mistaken key. `value` must be
 * JSON; while it `isUnwritten` nothing is stored. `isRestored` is true until the first change.
 */
export function useDraft<T extends object>(name: string, empty: T, isUnwritten: (value: T) => boolean) {
  const [value, setValue] = useState<T>(() => ({ ...empty, ...readDraft<T>(name) }))
  const [isRestored, setRestored] = useState(() => readDraft(name) !== null)
  const isEmpty = isUnwritten(value)
  useEffect(() => {
    if (isEmpty) sessionStorage.removeItem(name)
    else storeDraft(name, value)
  }, [name, value, isEmpty])
  const change = useCallback((changed: Partial<T>): void => {
    setRestored(false)
    setValue((before) => ({ ...before, ...changed }))
  }, [])
  const discard = (): void => {
    setRestored(false)
    setValue(empty)
  }
  return { value, change, discard, isEmpty, isRestored }
}
