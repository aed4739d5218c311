import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { enteredOf, hoursOf, isHalfEntered, QuietHoursFields } from '../ui/quiet-hours-fields.tsx'

/** Form for the countries that an account can send to, and its quiet hours. */
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
      action={`Save settings of ${account.name}`}
      disabled={isHalfEntered(quiet)}
    >
      <Choice
        label="Countries"
        data={[
          { value: 'all', label: 'All countries' },
          { value: 'some', label: 'Only these countries' },
        ]}
        value={isLimited ? 'some' : 'all'}
        onChange={(which) => setLimited(which === 'some')}
      />
      {isLimited ? (
        <Textarea
          label="Country codes"
          description="ISO 3166, for example DE, AT. Empty: sending is blocked."
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
