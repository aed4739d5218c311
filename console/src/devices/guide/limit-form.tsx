import { Button, NumberInput } from '@mantine/core'
import { useState } from 'react'
import { usualDailyCap } from '../../../../src/devices/phones/guide-words.ts'
import { useChange } from '../../api/use-call.ts'
import { CallForm } from '../../ui/call-form.tsx'
import type { Guide } from './guide.ts'

/** Form for the daily limit of the API keys that have none; or pass it over. */
export function LimitForm({ guide }: { guide: Guide }) {
  const [limit, setLimit] = useState<number | string>(usualDailyCap)
  const change = useChange('keys/limit', ['devices/guide', 'keys/list'])
  return (
    <CallForm
      call={change}
      onSubmit={() => change.mutate({ dailyCap: Number(limit) })}
      action="Set limit"
      disabled={typeof limit !== 'number'}
    >
      <NumberInput label="SMS a day for each API key" min={1} value={limit} onChange={setLimit} />
      <Button variant="default" onClick={() => guide.note({ isLimitPassed: true })}>
        No limit
      </Button>
    </CallForm>
  )
}
