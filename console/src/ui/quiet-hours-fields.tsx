import { Group, Text, TextInput } from '@mantine/core'
import { minuteOf, timeOfDay } from './time-of-day.ts'

/** Minutes of the day. */
interface Hours {
  from: number
  until: number
}

/** Quiet hours as the fields hold them; both empty stand for none. */
export interface EnteredHours {
  from: string
  until: string
}

/** When nobody is to be disturbed, and what that means. */
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
        By the clocks of the recipient’s country. Live messages but codes wait until the end, unless they
        expire before. Both empty: at any hour.
      </Text>
    </>
  )
}

/** What the fields hold of what is set. */
export const enteredOf = (hours: Hours | null): EnteredHours => ({
  from: timeOfDay(hours?.from),
  until: timeOfDay(hours?.until),
})

/** What is to be set; null for none. */
export const hoursOf = ({ from, until }: EnteredHours): Hours | null =>
  from === '' || until === '' ? null : { from: minuteOf(from), until: minuteOf(until) }

/** A beginning without an end, or the other way round. */
export const isHalfEntered = ({ from, until }: EnteredHours): boolean => (from === '') !== (until === '')
