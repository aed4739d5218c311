import { Group, Text, TextInput } from '@mantine/core'
import { minuteOf, timeOfDay } from './time-of-day.ts'

/** Minutes of the day. */
interface Hours {
  from: number
  until: number
}

/** Quiet hours as entered; both empty mean none. */
export interface EnteredHours {
  from: string
  until: string
}

/** Fields for quiet hours, with an explanation. */
export function QuietHoursFields(properties: {
  value: EnteredHours
  onChange: (entered: EnteredHours) => void
}) {
  const { value, onChange } = properties
  return (
    <>
      <Group grow>
        <TextInput
          type="time"
          label="Quiet from"
          value={value.from}
          onChange={(event) => onChange({ ...value, from: event.currentTarget.value })}
        />
        <TextInput
          type="time"
          label="Quiet until"
          value={value.until}
          onChange={(event) => onChange({ ...value, until: event.currentTarget.value })}
        />
      </Group>
      <Text size="sm" c="dimmed">
        In the recipient’s local time. Live messages other than codes wait until quiet hours end, unless they
        expire before. Leave both empty to send at any hour.
      </Text>
    </>
  )
}

/** Returns stored quiet hours as the fields show them. */
export const enteredOf = (hours: Hours | null): EnteredHours => ({
  from: timeOfDay(hours?.from),
  until: timeOfDay(hours?.until),
})

/** Returns the quiet hours to store; null for none. */
export const hoursOf = ({ from, until }: EnteredHours): Hours | null =>
  from === '' || until === '' ? null : { from: minuteOf(from), until: minuteOf(until) }

/** Whether only one of the two times was entered. */
export const isHalfEntered = ({ from, until }: EnteredHours): boolean => (from === '') !== (until === '')
