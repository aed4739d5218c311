import { Button, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { formatExact } from '../ui/format.ts'
import { browserZone, instantOf, noTime, pickedOf } from '../ui/local-time.ts'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import { notify } from '../ui/notify.ts'
import type { WaitingMessage } from './cancel-message.tsx'

/** Another time for a scheduled message; says whether it was still scheduled. */
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
                ? `It goes at ${formatExact(atMs)}.`
                : 'It was not scheduled any more: nothing was changed.',
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
          hint="Up to 30 days ahead; a time that has passed means at once."
          value={picked}
          onChange={setPicked}
        />
        <CallFault error={move.error} />
        <Button type="submit" loading={move.isPending} disabled={sendAtMs === null}>
          Move the message to {message.to}
        </Button>
      </Stack>
    </form>
  )
}
