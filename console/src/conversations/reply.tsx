import { Textarea } from '@mantine/core'
import { useRef } from 'react'
import { useChange } from '../api/use-call.ts'
import { DraftRestored } from '../drafts/draft-restored.tsx'
import { useSendDraft } from '../drafts/use-send-draft.ts'
import { TextCounter } from '../send/text-counter.tsx'
import { CallForm } from '../ui/call-form.tsx'

const noDraft = { text: '' }
const isUnwritten = ({ text }: typeof noDraft): boolean => text === ''

/** Form to send a text to the number of a conversation. */
export function Reply({ number }: { number: string }) {
  const draft = useSendDraft(`reply:${number}`, noDraft, isUnwritten)
  const { text } = draft.value
  const setText = (changed: string): void => draft.change({ text: changed })
  const send = useChange('send/one', ['conversations/page'])
  const isSending = useRef(false)
  const submit = async (): Promise<void> => {
    // A second click can arrive before the button shows that it is busy.
    if (isSending.current) return
    isSending.current = true
    await send
      .mutateAsync({ body: { to: number, text }, key: draft.key }, { onError: draft.renewIfUsed })
      .finally(() => (isSending.current = false))
    setText('')
    draft.renew()
  }
  return (
    <CallForm
      call={send}
      onSubmit={() => void submit().catch(() => undefined)}
      action="Send"
      disabled={text === ''}
    >
      {draft.isRestored ? <DraftRestored onDiscard={draft.discard} /> : null}
      <Textarea
        label={`Reply to ${number}`}
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {text === '' ? null : <TextCounter text={text} onReplace={setText} />}
    </CallForm>
  )
}
