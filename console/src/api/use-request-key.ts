import { useEffect, useState } from 'react'
import { readDraft, storeDraft } from '../drafts/draft-storage.ts'
import { CallFailed } from './call.ts'

/**
 * A name for what a person is about to send or grant: a second click, or a repeat after a lost answer, does nothing more. What was done under it and
 * then changed is refused under the same name, so `renewIfUsed` takes a new one for the next try. With the name of a draft it outlives a reload with it,
 * for as long as the draft `isKept`.
 */
export function useRequestKey(
  draft: string | null = null,
  { isKept = false }: { isKept?: boolean } = {},
): { key: string; renew: () => void; renewIfUsed: (error: Error) => void } {
  const stored = `${draft ?? ''}:key`
  const [key, setKey] = useState<string>(
    () => (draft === null ? null : readDraft<{ key: string }>(stored))?.key ?? crypto.randomUUID(),
  )
  useEffect(() => {
    if (draft === null) return
    if (isKept) storeDraft(stored, { key })
    else sessionStorage.removeItem(stored)
  }, [draft, stored, key, isKept])
  const renew = (): void => setKey(crypto.randomUUID())
  const renewIfUsed = (error: Error): void => {
    if (isKeyUsed(error)) renew()
  }
  return { key, renew, renewIfUsed }
}

/** Whether something else was done under the key before. */
export const isKeyUsed = (error: Error): boolean =>
  error instanceof CallFailed && error.problem.code === 'idempotency_key_reused'

/** What a person has to know then. */
export const keyUsedWords =
  'What you sent before you changed it was accepted, though its answer was lost. Press again to send what stands here now as well.'
