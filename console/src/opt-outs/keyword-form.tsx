import { Checkbox, Group, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeywordSet } from '../../../src/messages/opt-outs/check-keyword-set.ts'
import { offWords } from '../../../src/settings/off-words.ts'
import { useChange } from '../api/use-call.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { CallForm } from '../ui/call-form.tsx'

const lists = { stop: 'STOP words', start: 'START words', help: 'HELP words' } as const
const answers = { stopAnswer: 'STOP', helpAnswer: 'HELP' } as const

/** A set with the time of its last change; null for a new one. */
export interface ReadKeywordSet extends KeywordSet {
  updatedAt: number | null
}

/** Form for the keywords of one language, and the replies in it. */
export function KeywordForm({ of, onClose }: { of: ReadKeywordSet; onClose: () => void }) {
  const [set, setSet] = useState(of)
  const client = useQueryClient()
  const save = useChange('keywords/set', ['keywords/list'])
  const put = (more: Partial<KeywordSet>): void => setSet({ ...set, ...more })
  const isForBuiltIn = set.language.trim().toLowerCase() === 'und'
  const submit = (): void => {
    const { language, stop, start, help, stopAnswer, helpAnswer, updatedAt } = set
    const off = isForBuiltIn ? [...set.off] : []
    save.mutate(
      {
        language,
        stop: [...stop],
        start: [...start],
        help: [...help],
        off,
        stopAnswer,
        helpAnswer,
        updatedAt,
      },
      // After a conflict, the form has the latest version when it is opened again.
      { onSuccess: onClose, onError: () => void client.invalidateQueries({ queryKey: ['keywords/list'] }) },
    )
  }
  return (
    <CallForm
      call={save}
      onSubmit={submit}
      onCancel={onClose}
      action="Save keywords"
      disabled={set.language.trim() === ''}
      ownFaults={['language', ...Object.keys(lists), 'off', ...Object.keys(answers)]}
    >
      <TextInput
        label="Language"
        description="Two or three letters, such as fr; und for the built-in words."
        value={set.language}
        disabled={of.language !== ''}
        error={faultOf(save.error, 'language')}
        onChange={(event) => put({ language: event.currentTarget.value })}
      />
      {(['stop', 'start', 'help'] as const).map((field) => (
        <TagsInput
          key={field}
          label={lists[field]}
          description="Press Enter or type a comma after each word."
          value={[...set[field]]}
          error={faultOf(save.error, field)}
          onChange={(words) => put({ [field]: words })}
        />
      ))}
      {isForBuiltIn ? (
        <Checkbox.Group
          label="Words turned off"
          description="These do not count as STOP, because recipients use them to answer questions."
          value={[...set.off]}
          error={faultOf(save.error, 'off')}
          onChange={(words) => put({ off: words })}
        >
          <Group mt={6}>
            {offWords.map((word) => (
              <Checkbox key={word} value={word} label={word} />
            ))}
          </Group>
        </Checkbox.Group>
      ) : null}
      {(['stopAnswer', 'helpAnswer'] as const).map((field) => (
        <AnswerField
          key={field}
          to={answers[field]}
          value={set[field]}
          error={faultOf(save.error, field)}
          onChange={(text) => put({ [field]: text })}
        />
      ))}
    </CallForm>
  )
}

/**
 * Field for a reply: null is the default, an empty text means no reply. The typed text is kept while the reply is off.
 */
function AnswerField(properties: {
  to: string
  value: string | null
  error: string | undefined
  onChange: (text: string | null) => void
}) {
  const { to, value, error, onChange } = properties
  const [typed, setTyped] = useState(value ?? '')
  const type = (text: string): void => {
    setTyped(text)
    onChange(text || null)
  }
  return (
    <>
      <Textarea
        label={`Reply to ${to}`}
        description="Default: the reply of und, then of the instance."
        autosize
        minRows={2}
        value={typed}
        disabled={value === ''}
        error={error}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Checkbox
        label={`No reply to ${to}`}
        checked={value === ''}
        onChange={(event) => onChange(event.currentTarget.checked ? '' : typed || null)}
      />
    </>
  )
}
