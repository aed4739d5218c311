import { useRef, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { addressOf } from '../api/call.ts'
import { useAccountPlace } from '../api/place.ts'
import { Dialog } from '../ui/dialog.tsx'
import { MenuButton } from '../ui/menu-button.tsx'
import type { Running } from './export-report.tsx'
import type { HistoryFilter } from './history-filter.ts'

const ExportReport = lazyPart(async () => (await import('./export-report.tsx')).ExportReport)

/** Menu to export all messages that match the filter as one file. */
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
    const run = async (): Promise<void> => {
      const { download } = await import('./download.ts')
      await download(address, format, (progress) => update({ progress }), controller.signal)
    }
    run().then(
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
            { label: 'JSON, for applications', run: () => start('json') },
          ],
        ]}
      />
      <Dialog opened={running !== null} onClose={close} title="Export messages">
        {running === null ? null : <ExportReport of={running} onClose={close} />}
      </Dialog>
    </>
  )
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
