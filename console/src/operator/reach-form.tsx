import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { enteredOf, hoursOf, isHalfEntered, QuietHoursFields } from '../ui/quiet-hours-fields.tsx'

/** Whom an account may write to, and in which hours not. */
export function ReachForm({ account, onClose }: { account: OperatedAccount; onClose: () => void }) {
  const [isLimited, setLimited] = useState(account.countries !== null)
  const [countries, setCountries] = useState((account.countries ?? []).join(', '))
  const [quiet, setQuiet] = useState(() => enteredOf(account.quietHours))
  const save = useChange('operator/reach', ['operator/accounts', 'operator/audit'])
  const submit = (): void =>
    save.mutate(
      {
        accountId: account.id,
        countries: isLimited ? codesOf(countries) : null,
        quietHours: hoursOf(quiet),
      },
      { onSuccess: onClose },
    )
  return (
    <CallForm
      call={save}
      onSubmit={submit}
      action={`Save whom ${account.name} may write to`}
      disabled={isHalfEntered(quiet)}
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
      <QuietHoursFields value={quiet} onChange={setQuiet} />
    </CallForm>
  )
}

const codesOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '')
