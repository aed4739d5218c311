import { Loader, TextInput } from '@mantine/core'
import { useState } from 'react'
import { testText } from '../../../../src/devices/phones/guide-words.ts'
import { useChange } from '../../api/use-call.ts'
import { useRequestKey } from '../../api/use-request-key.ts'
import { CallForm } from '../../ui/call-form.tsx'
import type { Guide } from './guide.ts'

/** Form to send the test SMS: a regular send, from the number of the phone where it is known. Again after a failure. */
export function TestForm({ guide }: { guide: Guide }) {
  const { facts, toDo, follow } = guide
  const [sender = null] = facts.phone?.senders ?? []
  const [to, setTo] = useState(sender ?? '')
  const { key, renew, renewIfUsed } = useRequestKey()
  const send = useChange('devices/send-test', ['devices/guide'])
  const hasFailed = toDo?.name === 'test' && toDo.state === 'failed'
  if (facts.test !== null && !hasFailed) return <Loader size="sm" aria-label="Waiting for the phone" />
  const submit = (): void =>
    send.mutate(
      { to, text: testText, from: sender, key },
      {
        onError: renewIfUsed,
        onSuccess({ messageId }) {
          renew()
          follow({ messageId })
        },
      },
    )
  return (
    <CallForm call={send} onSubmit={submit} action={hasFailed ? 'Send test SMS again' : 'Send test SMS'}>
      <TextInput label="Send to" required value={to} onChange={(event) => setTo(event.currentTarget.value)} />
    </CallForm>
  )
}
