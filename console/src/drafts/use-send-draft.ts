import { useRequestKey } from '../api/use-request-key.ts'
import { useDraft, useDraftName } from './use-draft.ts'

/** A draft of something that is sent, with the key of its request: what is discarded, or was sent, gives its key up. */
export function useSendDraft<T extends object>(form: string, empty: T, isUnwritten: (value: T) => boolean) {
  const name = useDraftName(form)
  const draft = useDraft(name, empty, isUnwritten)
  const { key, renew, renewIfUsed } = useRequestKey(name, { isKept: !draft.isEmpty })
  const discard = (): void => {
    draft.discard()
    renew()
  }
  return { ...draft, discard, key, renew, renewIfUsed }
}
