import { Stack, TextInput } from '@mantine/core'
import { Choice } from './choice.tsx'
import { browserZone, instantOf, instantsOf, offsetAt, offsetName, type PickedTime } from './local-time.ts'

/** Field for a date and time in the browser's zone, which it names. Asks which one is meant in an hour that repeats. */
export function LocalTimeField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  /** Shown before the name of the zone. */
  hint: string
  value: PickedTime
  onChange: (value: PickedTime) => void
}) {
  const zone = browserZone()
  const instants = instantsOf(value.local, zone)
  const atMs = instantOf(value, zone) ?? Date.now()
  const isNever = value.local !== '' && instants.length === 0
  return (
    <Stack gap={4}>
      <TextInput
        type="datetime-local"
        label={label}
        description={`${hint} In ${zone} (${offsetName(offsetAt(atMs, zone))}).`}
        error={isNever ? 'This time does not exist: the clocks skip it.' : null}
        value={value.local}
        onChange={(event) => onChange({ local: event.currentTarget.value, isSecond: false })}
      />
      {instants.length < 2 ? null : (
        <Choice
          aria-label="First or second occurrence"
          data={instants.map((instant, i) => ({
            value: i === 0 ? 'first' : 'second',
            label: `${i === 0 ? 'First' : 'Second'} occurrence on this day (${offsetName(offsetAt(instant, zone))})`,
          }))}
          value={value.isSecond ? 'second' : 'first'}
          onChange={(which) => onChange({ ...value, isSecond: which === 'second' })}
        />
      )}
    </Stack>
  )
}
