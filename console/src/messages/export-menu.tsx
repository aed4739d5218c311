import { Button, Group, Progress as Bar, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { addressOf } from '../api/call.ts'
import { useAccountPlace } from '../api/place.ts'
import { Dialog } from '../ui/dialog.tsx'
import { formatNumber } from '../ui/format.ts'
import { MenuButton } from '../ui/menu-button.tsx'
import { download, type Progress } from './download.ts'
import type { HistoryFilter } from './history-filter.ts'

interface Running {
  format: 'csv' | 'json'
  progress: Progress | null
  /** Null while it runs. */
  end: 'done' | 'stopped' | Error | null
}

/** Every message that fits the filter as one file, however many there are. */
export function ExportMenu({ filter }: { filter: HistoryFilter }) {
  const place = useAccountPlace()
  const [running, setRunning] = useState<Running | null>(null)
  const stop = useRef<AbortController | null>(null)
  const start = (format: 'csv' | 'json'): void => {
    const controller = new AbortController()
    stop.current = controller
    setRunning({ format, progress: null, end: null })
    const update = (change: Partial<Running>): void =>
      setRunning((before) => (before === null ? null : { ...before, ...change }))
    const address = addressOf('history/export', place, { filter, format })
    download(address, format, (progress) => update({ progress }), controller.signal).then(
      () => update({ end: 'done' }),
      (error: unknown) => update({ end: controller.signal.aborted ? 'stopped' : asError(error) }),
    )
  }
  const close = (): void => {
    stop.current?.abort()
    setRunning(null)
  }
  return (
    <>
      <MenuButton
        label="Export"
        sections={[
          [
            { label: 'CSV, for spreadsheets', run: () => start('csv') },
            { label: 'JSON, for programs', run: () => start('json') },
          ],
        ]}
      />
      <Dialog opened={running !== null} onClose={close} title="Export of messages">
        {running === null ? null : <Report of={running} onClose={close} />}
      </Dialog>
    </>
  )
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

function Report({ of: { progress, end }, onClose }: { of: Running; onClose: () => void }) {
  const { bytes = 0, rows = 0, totalRows = null } = progress ?? {}
  const part = totalRows === null || totalRows === 0 ? null : Math.min(1, rows / totalRows)
  const says = `${formatNumber(rows)}${totalRows === null ? '' : ` of ${formatNumber(totalRows)}`} messages, ${sizeOf(bytes)}`
  return (
    <Stack>
      <Bar
        value={end === 'done' ? 100 : (part ?? (end === null ? 100 : 0)) * 100}
        animated={end === null}
        color={end instanceof Error ? 'red' : 'indigo'}
        aria-label="Progress of the export"
      />
      <Text size="sm" role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {end === null ? `${says} so far.` : null}
        {end === 'done' ? `Done: ${says}. The file is with your downloads.` : null}
        {end === 'stopped' ? 'Stopped. No file was kept.' : null}
        {end instanceof Error ? `It ended early, and no file was kept. ${end.message}` : null}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {end === null ? 'Stop' : 'Close'}
        </Button>
      </Group>
    </Stack>
  )
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
