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

const leaveWords = 'The rest of the table will not be sent. Leave all the same?'

/**
 * The button that sends a table, how far it is, and what became of each row. `onUnderWay` hears when the table must stay as it is, and when it may
 * change again. Who leaves the page is asked; what is left of the table then stays unsent, and the same table goes on where it was.
 */
export function TableProgress(properties: {
  plan: TablePlan
  options: Record<string, unknown>
  onUnderWay: (isUnderWay: boolean) => void
}) {
  const { plan, options, onUnderWay } = properties
  const place = useAccountPlace()
  const running = useRef<{ run: TableRun; forget: () => void } | null>(null)
  const [progress, setProgress] = useState<RunProgress | null>(null)
  const [isGivenUp, setGivenUp] = useState(false)
  const isSending = progress !== null && !isGivenUp && progress.results.length < progress.total
  useBlocker({ shouldBlockFn: () => isSending && !window.confirm(leaveWords), enableBeforeUnload: isSending })
  useEffect(
    () => () => {
      running.current?.run.pause()
      onUnderWay(false)
    },
    [onUnderWay],
  )
  const start = async (): Promise<void> => {
    const rows = plan.good.map(({ row, to, text }) => [row, to, text])
    const { key, forget } = await keyOfTable([place, options, rows])
    running.current = { run: new TableRun({ place, rows: plan.good, key, options }, setProgress), forget }
    setProgress({ results: [], total: plan.good.length, paused: null })
    setGivenUp(false)
    onUnderWay(true)
    await goOn()
  }
  const goOn = async (): Promise<void> => {
    setProgress((known) => (known === null ? null : { ...known, paused: null }))
    await running.current?.run.run()
  }
  const again = (): void => {
    setProgress(null)
    onUnderWay(false)
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
  if (progress.results.length >= progress.total) running.current?.forget()
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
            <Button variant="default" size="xs" onClick={() => setGivenUp(true)}>
              Send no more
            </Button>
            <Button size="xs" onClick={() => void goOn()}>
              Go on
            </Button>
          </Group>
        )}
      </Group>
      {progress.paused === null || !isSending ? null : (
        <Alert color="yellow" variant="light" role="alert" title="It stands still">
          {progress.paused}
        </Alert>
      )}
      {isSending ? null : <Report plan={plan} progress={progress} onAgain={again} />}
    </Stack>
  )
}

function Report(properties: { plan: TablePlan; progress: RunProgress; onAgain: () => void }) {
  const { plan, progress, onAgain } = properties
  const refused = progress.results.filter((row) => row.refused !== null)
  const accepted = progress.results.length - refused.length
  const unsent = progress.total - progress.results.length
  const save = (): void =>
    saveFile(new Blob([reportOf(plan, progress.results)], { type: 'text/csv' }), 'onesixty-report.csv')
  return (
    <Alert
      color={refused.length + unsent === 0 ? 'teal' : 'yellow'}
      variant="light"
      role="status"
      title={unsent === 0 ? 'The table is sent' : 'A part of the table is sent'}
    >
      <Stack gap="xs" align="start">
        <Text size="sm">
          {formatNumber(accepted)} accepted, {formatNumber(refused.length)} refused
          {unsent === 0 ? '' : `, ${formatNumber(unsent)} not sent`}
          {plan.bad.length === 0 ? '' : `, ${formatNumber(plan.bad.length)} left out`}
        </Text>
        {refused.slice(0, 10).map(({ row, refused: why }) => (
          <Text key={row} size="sm">
            Row {row}: {why?.detail}
          </Text>
        ))}
        <Group>
          <Button size="xs" variant="default" onClick={save}>
            Download the report
          </Button>
          <Button size="xs" variant="default" onClick={onAgain}>
            Change and send anew
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
