import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { formatExact, formatNumber } from '../ui/format.ts'
import { browserZone, instantOf, noTime } from '../ui/local-time.ts'
import { LocalTimeField } from '../ui/local-time-field.tsx'
import { notify } from '../ui/notify.ts'

/** Tells an endpoint again what happened within a time. */
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
          const rest = restFromMs === null ? '' : ` There are more: go on from ${formatExact(restFromMs)}.`
          void notify({ color: 'teal', message: `${formatNumber(replayed)} are told again.${rest}` })
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
      action="Tell again"
      disabled={fromMs === null || untilMs === null}
    >
      <LocalTimeField label="From" hint="What happened then or later." value={from} onChange={setFrom} />
      <LocalTimeField label="Before" hint="What happened earlier." value={until} onChange={setUntil} />
      <Checkbox
        label="Only what was not taken"
        checked={onlyFailed}
        onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
      />
      <Text size="sm">
        Repeats carry the ids of the first time, so that your program can leave out what it has.
      </Text>
    </CallForm>
  )
}
