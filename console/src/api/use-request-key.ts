import { useEffect, useState } from 'react'
import { readDraft, storeDraft } from '../drafts/draft-storage.ts'
import { CallFailed } from './call.ts'

/**
 * Returns an idempotency key for a send or grant: a second click, or a repeat after a lost response, has no effect. The
 * server rejects the key with changed content, so `renewIfUsed` replaces it for the next attempt. With the name of a
 * draft, the key survives a reload while the draft `isKept`.
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

/** Whether the key was already used for other content. */
export const isKeyUsed = (error: Error): boolean =>
  error instanceof CallFailed && error.problem.code === 'idempotency_key_reused'

/** Shown when the key was already used. */
export const keyUsedMessage =
  'What you sent before your change was accepted; only the response was lost. Submit again to also send the changed version.'
