import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { SendAnswer } from '../../../src/api/console/messages/send-from-console.ts'
import { CallFailed, change } from '../api/call.ts'
import { useAccountPlace } from '../api/place.ts'
import { useChange } from '../api/use-call.ts'
import { isKeyUsed, keyUsedMessage } from '../api/use-request-key.ts'
import { DraftRestored } from '../drafts/draft-restored.tsx'
import { useSendDraft } from '../drafts/use-send-draft.ts'
import { type Refusal, Refused } from '../ui/call-fault.tsx'
import { formatNumber } from '../ui/format.ts'
import { FoldedOptions } from './folded-options.tsx'
import { noOptions, type SendOptions, bodyOptions } from './send-options.ts'
import { readNumbers } from './recipients.ts'
import { Sent } from './sent.tsx'
import { TextCounter } from './text-counter.tsx'
import { inEffect, useCanFallBack } from './use-fallback.ts'

interface Draft {
  to: string
  text: string
  options: SendOptions
}

const noDraft: Draft = { to: '', text: '', options: noOptions }
/** Options alone are no draft: they are kept from the last send. */
const isUnwritten = ({ to, text }: Draft): boolean => to === '' && text === ''

/** Form to send one text to up to 100 numbers. */
export function Compose() {
  const draft = useSendDraft<Draft>('send', noDraft, isUnwritten)
  const { to, text, options } = draft.value
  const canFallBack = useCanFallBack()
  const setText = (changed: string): void => draft.change({ text: changed })
  const [sent, setSent] = useState<SendAnswer | null>(null)
  const send = useChange('send/one')
  const isSending = useRef(false)
  const { numbers, duplicates } = readNumbers(to)
  const body = {
    to: numbers.length === 1 ? numbers[0] : numbers,
    text,
    ...bodyOptions(inEffect(options, canFallBack)),
  }
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    // A second click can arrive before the button shows that it is busy.
    if (isSending.current) return
    isSending.current = true
    const answer = await send
      .mutateAsync({ body, key: draft.key }, { onError: draft.renewIfUsed })
      .finally(() => (isSending.current = false))
    setSent(answer)
    draft.change({ to: '', text: '' })
    draft.renew()
  }
  return (
    <form onSubmit={(event) => void submit(event).catch(() => undefined)}>
      <Stack>
        {sent === null ? null : <Sent answer={sent} onClose={() => setSent(null)} />}
        {draft.isRestored ? <DraftRestored onDiscard={draft.discard} /> : null}
        <Textarea
          label="To"
          description="Numbers in international format: +49170…; up to 100, one per line or separated by commas."
          required
          autosize
          minRows={2}
          maxRows={8}
          value={to}
          onChange={(event) => draft.change({ to: event.currentTarget.value })}
        />
        {duplicates.length === 0 ? null : (
          <Text size="sm">
            Listed twice, sent once: {duplicates.slice(0, 5).join(', ')}
            {duplicates.length > 5 ? ` and ${duplicates.length - 5} more` : ''}
          </Text>
        )}
        <Textarea
          label="Text"
          required
          autosize
          minRows={4}
          maxRows={16}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextCounter text={text} onReplace={setText} />
        <FoldedOptions value={options} onChange={(changed) => draft.change({ options: changed })} />
        <Cost body={body} recipients={numbers.length} />
        {send.isError ? <Refused {...refusalOf(send.error)} /> : null}
        <Group justify="flex-end">
          <Button type="submit" loading={send.isPending} disabled={numbers.length === 0 || text === ''}>
            {options.sendAt.local === '' ? 'Send' : 'Schedule'}{' '}
            {numbers.length > 1 ? `${formatNumber(numbers.length)} messages` : 'message'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Pause in typing after which the server is asked for the price. */
const pauseMs = 400

/** Shows the price by the server, and its faults. */
function Cost({ body, recipients }: { body: object; recipients: number }) {
  const place = useAccountPlace()
  const [settled] = useDebouncedValue(JSON.stringify(body), pauseMs)
  const isComplete = recipients > 0 && (body as { text: string }).text !== ''
  const { data, error } = useQuery({
    queryKey: ['send/price', place.accountId, place.mode, settled],
    queryFn: () =>
      change(
        'send/price',
        place,
        { body: JSON.parse(settled) as Record<string, unknown> },
        { isOwnAct: false },
      ),
    enabled: isComplete,
    gcTime: 0,
  })
  if (!isComplete) return null
  if (error !== null) return <Refused title="Cannot load the price" detail={error.message} />
  if (data === undefined) return null
  if (data.refused !== null) return <Refused {...byNumber(data.refused)} />
  if (data.answer === null) return null
  const { totals, warnings, messages } = data.answer
  const fallsBack = messages.some(({ fallback }) => fallback === 'shared')
  const isFree = messages.some(({ cost }) => cost.paid_by === 'own_device')
  const count = `${formatNumber(totals.recipients)} ${totals.recipients === 1 ? 'message' : 'messages'}`
  return (
    <Paper withBorder p="sm" role="status" aria-label="Cost">
      <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {isFree ? (
          <>
            Costs <b>nothing</b> for {count} ({formatNumber(totals.parts)} SMS): only own devices send them.
          </>
        ) : (
          <>
            Costs {fallsBack ? 'at most ' : ''}
            <b>{formatNumber(totals.parts)} SMS</b> for {count}
            {fallsBack ? ', and nothing for what own devices send; at least ' : '; '}
            {formatNumber(totals.balance_available)} SMS left afterwards.
          </>
        )}
      </Text>
      {warnings.map(({ code, message }) => (
        <Text key={code} size="sm" c="dimmed">
          {message}
        </Text>
      ))}
    </Paper>
  )
}

const refusalOf = (error: Error): Refusal => {
  if (isKeyUsed(error)) return { title: 'Not sent yet', detail: keyUsedMessage }
  return error instanceof CallFailed
    ? byNumber(error.problem)
    : { title: 'Cannot send', detail: error.message }
}

/** Prefixes faults with the position of their recipient, counted from 1. */
const byNumber = ({ title, detail, errors = [] }: Refusal & { title: string }): Refusal => ({
  title,
  detail,
  errors: errors.map((fault) => {
    const [, index] = /^\/to\/(\d+)$/.exec(fault.pointer ?? '') ?? []
    return index === undefined ? fault : { ...fault, detail: `Number ${Number(index) + 1}: ${fault.detail}` }
  }),
})
