import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { formatNumber } from '../ui/format.ts'
import { saveFile } from '../ui/save-file.ts'
import { keyOfTable } from './table-key.ts'
import type { TablePlan } from './table-plan.ts'
import { reportOf } from './table-report.ts'
import { type RunProgress, TableRun } from './table-run.ts'

const leaveWarning = 'The rest of the table will not be sent. Leave this page?'

/**
 * Button to send a table, with progress and the result of each row. `onSendingChange` is called when the table becomes
 * locked and when it can change again. Leaving the page asks for confirmation: the remaining rows stay unsent, and the
 * same table later continues where it stopped.
 */
export function TableProgress(properties: {
  plan: TablePlan
  options: Record<string, unknown>
  onSendingChange: (isSending: boolean) => void
}) {
  const { plan, options, onSendingChange } = properties
  const place = useAccountPlace()
  const running = useRef<{ run: TableRun; removeKey: () => void } | null>(null)
  const [progress, setProgress] = useState<RunProgress | null>(null)
  const [isStopped, setStopped] = useState(false)
  const isSending = progress !== null && !isStopped && progress.results.length < progress.total
  useBlocker({
    shouldBlockFn: () => isSending && !window.confirm(leaveWarning),
    enableBeforeUnload: isSending,
  })
  useEffect(
    () => () => {
      running.current?.run.pause()
      onSendingChange(false)
    },
    [onSendingChange],
  )
  const start = async (): Promise<void> => {
    const rows = plan.good.map(({ row, to, text }) => [row, to, text])
    const { key, remove } = await keyOfTable([place, options, rows])
    const run = new TableRun({ place, rows: plan.good, key, options }, setProgress)
    running.current = { run, removeKey: remove }
    setProgress({ results: [], total: plan.good.length, paused: null })
    setStopped(false)
    onSendingChange(true)
    await resume()
  }
  const resume = async (): Promise<void> => {
    setProgress((known) => (known === null ? null : { ...known, paused: null }))
    await running.current?.run.run()
  }
  const edit = (): void => {
    setProgress(null)
    onSendingChange(false)
  }
  if (progress === null)
    return (
      <Group justify="flex-end">
        <Button disabled={plan.good.length === 0} onClick={() => void start()}>
          {options['send_at'] === undefined ? 'Send' : 'Schedule'} {formatNumber(plan.good.length)} messages
          for {formatNumber(plan.parts)} SMS
        </Button>
      </Group>
    )
  if (progress.results.length >= progress.total) running.current?.removeKey()
  return (
    <Stack>
      <Progress
        value={(100 * progress.results.length) / Math.max(1, progress.total)}
        aria-label="Rows sent"
        transitionDuration={100}
      />
      <Group justify="space-between">
        <Text role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {formatNumber(progress.results.length)} of {formatNumber(progress.total)} rows
        </Text>
        {!isSending ? null : progress.paused === null ? (
          <Button variant="default" size="xs" onClick={() => running.current?.run.pause()}>
            Pause
          </Button>
        ) : (
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setStopped(true)}>
              Stop sending
            </Button>
            <Button size="xs" onClick={() => void resume()}>
              Continue
            </Button>
          </Group>
        )}
      </Group>
      {progress.paused === null || !isSending ? null : (
        <Alert color="yellow" variant="light" role="alert" title="Sending paused">
          {progress.paused}
        </Alert>
      )}
      {isSending ? null : <Report plan={plan} progress={progress} onEdit={edit} />}
    </Stack>
  )
}

function Report(properties: { plan: TablePlan; progress: RunProgress; onEdit: () => void }) {
  const { plan, progress, onEdit } = properties
  const rejected = progress.results.filter((row) => row.refused !== null)
  const accepted = progress.results.length - rejected.length
  const unsent = progress.total - progress.results.length
  const save = (): void =>
    saveFile(new Blob([reportOf(plan, progress.results)], { type: 'text/csv' }), 'onesixty-report.csv')
  return (
    <Alert
      color={rejected.length + unsent === 0 ? 'teal' : 'yellow'}
      variant="light"
      role="status"
      title={unsent === 0 ? 'Table sent' : 'Table sent in part'}
    >
      <Stack gap="xs" align="start">
        <Text size="sm">
          {formatNumber(accepted)} accepted, {formatNumber(rejected.length)} rejected
          {unsent === 0 ? '' : `, ${formatNumber(unsent)} not sent`}
          {plan.bad.length === 0 ? '' : `, ${formatNumber(plan.bad.length)} skipped`}
        </Text>
        {rejected.slice(0, 10).map(({ row, refused: why }) => (
          <Text key={row} size="sm">
            Row {row}: {why?.detail}
          </Text>
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={save}>
            Download report
          </Button>
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit and send again
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
