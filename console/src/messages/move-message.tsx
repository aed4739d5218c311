import { Button, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { formatExact } from '../ui/format.ts'
import { browserZone, instantOf, noTime, pickedOf } from '../ui/local-time.ts'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import { notify } from '../ui/notify.ts'
import type { WaitingMessage } from './cancel-message.tsx'

/** Form to reschedule a message; reports when it was no longer scheduled. */
export function MoveMessage({ message, onClose }: { message: WaitingMessage; onClose: () => void }) {
  const zone = browserZone()
  const [picked, setPicked] = useState(message.sendAtMs === null ? noTime : pickedOf(message.sendAtMs, zone))
  const move = useChange('history/move', ['history/message', 'history/page'])
  const sendAtMs = instantOf(picked, zone)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (sendAtMs === null) return
    move.mutate(
      { id: message.id, sendAtMs },
      {
        onSuccess: ({ result, sendAtMs: atMs }) => {
          onClose()
          void notify({
            message:
              result === 'moved' && atMs !== null
                ? `Rescheduled to ${formatExact(atMs)}`
                : 'The message was no longer scheduled. Nothing was changed.',
          })
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <LocalTimeField
          label="Send at"
          hint="Up to 30 days ahead. A time in the past means now."
          value={picked}
          onChange={setPicked}
        />
        <CallFault error={move.error} />
        <Button type="submit" loading={move.isPending} disabled={sendAtMs === null}>
          Reschedule message to {message.to}
        </Button>
      </Stack>
    </form>
  )
}
