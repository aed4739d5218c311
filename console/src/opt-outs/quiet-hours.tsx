import { Anchor, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../connection/lazy-part.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { timeOfDay } from '../ui/time-of-day.ts'

const QuietHoursForm = lazyPart(async () => (await import('./quiet-hours-form.tsx')).QuietHoursForm)

/** Summarizes the quiet hours. Owners edit them in a dialog, so that the list below does not move. */
export function QuietHours() {
  const { data } = useCall('quiet-hours/read', {})
  const [changing, { open, close }] = useDisclosure()
  if (data === undefined) return null
  const { hours, canSet } = data
  return (
    <Text component="div" size="sm">
      <b>Quiet hours:</b>{' '}
      {hours === null
        ? 'none, messages are sent at any hour.'
        : `live messages wait from ${timeOfDay(hours.from)} until ${timeOfDay(hours.until)} in the recipient’s local time.`}{' '}
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
        'Only an owner of the account can change them.'
      )}
    </Text>
  )
}
