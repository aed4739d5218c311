import { useState } from 'react'
import type { QuietHoursAnswer } from '../../../src/api/console/messages/quiet-hours-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { enteredOf, hoursOf, isHalfEntered, QuietHoursFields } from '../ui/quiet-hours-fields.tsx'

/** Form to set or remove quiet hours. */
export function QuietHoursForm(properties: { hours: QuietHoursAnswer['hours']; onClose: () => void }) {
  const { hours, onClose } = properties
  const [entered, setEntered] = useState(() => enteredOf(hours))
  const set = useChange('quiet-hours/set', ['quiet-hours/read'])
  return (
    <CallForm
      call={set}
      onSubmit={() => set.mutate({ hours: hoursOf(entered) }, { onSuccess: onClose })}
      onCancel={onClose}
      action="Save quiet hours"
      disabled={isHalfEntered(entered)}
    >
      <QuietHoursFields value={entered} onChange={setEntered} />
    </CallForm>
  )
}
