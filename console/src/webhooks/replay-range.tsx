import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { formatExact, formatNumber } from '../ui/format.ts'
import { browserZone, instantOf, noTime } from '../ui/local-time.ts'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import { notify } from '../ui/notify.ts'

/** Form to replay the events of a time range to an endpoint. */
export function ReplayRange({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [from, setFrom] = useState(noTime)
  const [until, setUntil] = useState(noTime)
  const [onlyFailed, setOnlyFailed] = useState(true)
  const replay = useChange('webhooks/replay-range', ['webhooks/deliveries'])
  const fromMs = instantOf(from, browserZone())
  const untilMs = instantOf(until, browserZone())
  const submit = (): void => {
    if (fromMs === null || untilMs === null) return
    replay.mutate(
      { endpointId, fromMs, untilMs, onlyFailed },
      {
        onSuccess: ({ replayed, restFromMs }) => {
          const rest = restFromMs === null ? '' : ` There are more: continue from ${formatExact(restFromMs)}.`
          const events = `${formatNumber(replayed)} ${replayed === 1 ? 'event' : 'events'}`
          void notify({ color: 'teal', message: `${events} queued to be resent.${rest}` })
          onClose()
        },
      },
    )
  }
  return (
    <CallForm
      call={replay}
      onSubmit={submit}
      onCancel={onClose}
      action="Replay events"
      disabled={fromMs === null || untilMs === null}
    >
      <LocalTimeField label="From" hint="Events at this time or later." value={from} onChange={setFrom} />
      <LocalTimeField label="Before" hint="Events before this time." value={until} onChange={setUntil} />
      <Checkbox
        label="Only failed deliveries"
        checked={onlyFailed}
        onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
      />
      <Text size="sm">
        Resent events have their original IDs, so that your application can skip those it already has.
      </Text>
    </CallForm>
  )
}
