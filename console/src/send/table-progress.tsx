import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAccountPlace } from '../api/place.ts'
import { formatNumber } from '../ui/format.ts'
import { saveFile } from '../ui/save-file.ts'
import { keyOfTable } from './table-key.ts'
import type { TablePlan } from './table-plan.ts'
import { reportOf } from './table-report.ts'
import { type RunProgress, TableRun } from './table-run.ts'

/** The button that sends a table, how far it is, and what became of each row. */
export function TableProgress({ plan, options }: { plan: TablePlan; options: Record<string, unknown> }) {
  const place = useAccountPlace()
  const running = useRef<{ run: TableRun; forget: () => void } | null>(null)
  const [progress, setProgress] = useState<RunProgress | null>(null)
  const start = async (): Promise<void> => {
    const rows = plan.good.map(({ row, to, text }) => [row, to, text])
    const { key, forget } = await keyOfTable([place, options, rows])
    running.current = { run: new TableRun({ place, rows: plan.good, key, options }, setProgress), forget }
    setProgress({ results: [], total: plan.good.length, paused: null })
    await goOn()
  }
  const goOn = async (): Promise<void> => {
    setProgress((known) => (known === null ? null : { ...known, paused: null }))
    await running.current?.run.run()
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
  const isDone = progress.results.length >= progress.total
  if (isDone) running.current?.forget()
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
        {isDone ? null : progress.paused === null ? (
          <Button variant="default" size="xs" onClick={() => running.current?.run.pause()}>
            Pause
          </Button>
        ) : (
          <Button size="xs" onClick={() => void goOn()}>
            Go on
          </Button>
        )}
      </Group>
      {progress.paused === null || isDone ? null : (
        <Alert color="yellow" variant="light" role="alert" title="It stands still">
          {progress.paused}
        </Alert>
      )}
      {isDone ? <Report plan={plan} progress={progress} onAgain={() => setProgress(null)} /> : null}
    </Stack>
  )
}

function Report(properties: { plan: TablePlan; progress: RunProgress; onAgain: () => void }) {
  const { plan, progress, onAgain } = properties
  const refused = progress.results.filter((row) => row.refused !== null)
  const accepted = progress.results.length - refused.length
  const save = (): void =>
    saveFile(new Blob([reportOf(plan, progress.results)], { type: 'text/csv' }), 'onesixty-report.csv')
  return (
    <Alert
      color={refused.length === 0 ? 'teal' : 'yellow'}
      variant="light"
      role="status"
      title="The table is sent"
    >
      <Stack gap="xs" align="start">
        <Text size="sm">
          {formatNumber(accepted)} accepted, {formatNumber(refused.length)} refused
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
