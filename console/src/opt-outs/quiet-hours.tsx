import { Button, Group, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { QuietHoursAnswer } from '../../../src/api/console/quiet-hours-calls.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Section } from '../ui/section.tsx'
import { minuteOf, timeOfDay } from '../ui/time-of-day.ts'

/** The hours in which nobody is to be disturbed; only an owner changes them. */
export function QuietHours() {
  const { data } = useCall('quiet-hours/read', {})
  if (data === undefined) return null
  return (
    <Section title="Quiet hours">
      <Text size="sm" maw={640}>
        By the clocks of the recipient’s country. Live messages but codes wait until the end, unless they
        expire before.
      </Text>
      {data.canSet ? <Form key={JSON.stringify(data.hours)} of={data} /> : <Shown of={data} />}
    </Section>
  )
}

const Shown = ({ of: { hours } }: { of: QuietHoursAnswer }) => (
  <Text size="sm">
    {hours === null ? 'None: messages go at any hour.' : `From ${timeOfDay(hours.from)} until ${timeOfDay(hours.until)}.`}{' '}
    Only an owner of the account changes them.
  </Text>
) // prettier-ignore

function Form({ of: { hours } }: { of: QuietHoursAnswer }) {
  const [from, setFrom] = useState(timeOfDay(hours?.from))
  const [until, setUntil] = useState(timeOfDay(hours?.until))
  const set = useChange('quiet-hours/set', ['quiet-hours/read'])
  const isSame = from === timeOfDay(hours?.from) && until === timeOfDay(hours?.until)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const isNone = from === '' && until === ''
    set.mutate({ hours: isNone ? null : { from: minuteOf(from), until: minuteOf(until) } })
  }
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="end">
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
        <Button
          type="submit"
          size="sm"
          variant="default"
          loading={set.isPending}
          disabled={isSame || (from === '') !== (until === '')}
        >
          Save quiet hours
        </Button>
      </Group>
      <CallFault error={set.error} />
      <Text size="sm" c="dimmed" mt="xs">
        Both empty: at any hour.
      </Text>
    </form>
  )
}
