import { Anchor, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { timeOfDay } from '../ui/time-of-day.ts'

const QuietHoursForm = lazyPart(async () => (await import('./quiet-hours-form.tsx')).QuietHoursForm)

/** A line about the hours in which nobody is disturbed; an owner changes them in a window, so that the list below keeps its place. */
export function QuietHours() {
  const { data } = useCall('quiet-hours/read', {})
  const [changing, { open, close }] = useDisclosure()
  if (data === undefined) return null
  const { hours, canSet } = data
  return (
    <Text component="div" size="sm">
      <b>Quiet hours:</b>{' '}
      {hours === null
        ? 'none, messages go at any hour.'
        : `live messages wait from ${timeOfDay(hours.from)} until ${timeOfDay(hours.until)} by the clocks of the recipient’s country.`}{' '}
      {canSet ? (
        <>
          <Anchor component="button" type="button" size="sm" onClick={open}>
            Change quiet hours
          </Anchor>
          <Dialog opened={changing} onClose={close} title="Quiet hours">
            <QuietHoursForm hours={hours} onClose={close} />
          </Dialog>
        </>
      ) : (
        'Only an owner of the account changes them.'
      )}
    </Text>
  )
}
