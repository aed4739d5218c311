import { Group, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { minuteOf, timeOfDay } from '../ui/time-of-day.ts'

/** Whom an account may write to, and in which hours not. */
export function ReachForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [isLimited, setLimited] = useState(account.countries !== null)
  const [countries, setCountries] = useState((account.countries ?? []).join(', '))
  const [from, setFrom] = useState(timeOfDay(account.quietHours?.from))
  const [until, setUntil] = useState(timeOfDay(account.quietHours?.until))
  const save = useChange('operator/reach', ['operator/accounts', 'operator/audit'])
  const submit = (): void =>
    save.mutate(
      {
        accountId: account.id,
        countries: isLimited ? codesOf(countries) : null,
        quietHours: from === '' || until === '' ? null : { from: minuteOf(from), until: minuteOf(until) },
      },
      { onSuccess: onClose },
    )
  return (
    <CallForm
      call={save}
      onSubmit={submit}
      action={`Save whom ${account.name} may write to`}
      disabled={(from === '') !== (until === '')}
    >
      <Choice
        label="Countries"
        data={[
          { value: 'all', label: 'Every country' },
          { value: 'some', label: 'These countries alone' },
        ]}
        value={isLimited ? 'some' : 'all'}
        onChange={(which) => setLimited(which === 'some')}
      />
      {isLimited ? (
        <Textarea
          label="Codes of countries"
          description="By ISO 3166, such as DE, AT; with none nothing can be sent."
          autosize
          value={countries}
          onChange={(event) => setCountries(event.currentTarget.value)}
        />
      ) : null}
      <Group grow>
        <TextInput
          type="time"
          label="Quiet from"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="time"
          label="Quiet until"
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      </Group>
      <Text size="sm" c="dimmed">
        By the clocks of the recipient’s country. Live messages but codes wait until the end, unless they
        expire before. Empty: at any hour.
      </Text>
    </CallForm>
  )
}

const codesOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '')
