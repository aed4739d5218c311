import { Button, Group, Progress as Bar, Stack, Text } from '@mantine/core'
import { formatNumber } from '../ui/format.ts'
import type { Progress } from './download.ts'

/** An export that was started. */
export interface Running {
  format: 'csv' | 'json'
  progress: Progress | null
  /** Null while it runs. */
  end: 'done' | 'stopped' | Error | null
}

/** Shows the progress and the end of an export. */
export function ExportReport({ of: { progress, end }, onClose }: { of: Running; onClose: () => void }) {
  const { bytes = 0, rows = 0, totalRows = null } = progress ?? {}
  const part = totalRows === null || totalRows === 0 ? null : Math.min(1, rows / totalRows)
  const summary = `${formatNumber(rows)}${totalRows === null ? '' : ` of ${formatNumber(totalRows)}`} messages, ${sizeOf(bytes)}`
  return (
    <Stack>
      <Bar
        value={end === 'done' ? 100 : (part ?? (end === null ? 100 : 0)) * 100}
        animated={end === null}
        color={end instanceof Error ? 'red' : 'indigo'}
        aria-label="Export progress"
      />
      <Text size="sm" role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {end === null ? `${summary} so far.` : null}
        {end === 'done' ? `Done: ${summary}. The file is in your downloads.` : null}
        {end === 'stopped' ? 'Stopped. No file was saved.' : null}
        {end instanceof Error ? `Export failed, no file was saved. ${end.message}` : null}
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
