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
 * JSON; what equals `empty` is not stored. `isRestored` is true until the first change.
 */
export function useDraft<T>(name: string, empty: T) {
  const [value, setValue] = useState<T>(() => {
    const stored = readDraft(name)
    return stored === null ? empty : (JSON.parse(stored) as T)
  })
  const [isRestored, setRestored] = useState(() => readDraft(name) !== null)
  const json = JSON.stringify(value)
  const isEmpty = json === JSON.stringify(empty)
  useEffect(() => {
    if (isEmpty) sessionStorage.removeItem(name)
    else storeDraft(name, json)
  }, [name, json, isEmpty])
  const change = useCallback((changed: Partial<T>): void => {
    setRestored(false)
    setValue((before) => ({ ...before, ...changed }))
  }, [])
  const discard = (): void => {
    setRestored(false)
    setValue(empty)
  }
  return { value, change, discard, isRestored }
}
