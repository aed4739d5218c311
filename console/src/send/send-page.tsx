import { SegmentedControl, Stack, Title } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { useAccountPlace } from '../api/place.ts'
import { Compose } from './compose.tsx'

const TableSend = lazyPart(async () => (await import('./table-send.tsx')).TableSend)

/** One text to a few numbers, or a table of numbers with a text for each. */
export function SendPage() {
  const { accountId, mode } = useAccountPlace()
  const [way, setWay] = useState<'text' | 'table'>('text')
  const [isUnderWay, setUnderWay] = useState(false)
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1}>Send</Title>
      <SegmentedControl
        aria-label="What to send"
        value={way}
        onChange={setWay}
        disabled={isUnderWay}
        data={[
          { value: 'text', label: 'A text' },
          { value: 'table', label: 'A table (CSV)' },
        ]}
      />
      {way === 'text' ? (
        <Compose key={`${accountId} ${mode}`} />
      ) : (
        <Suspense>
          <TableSend key={mode} isUnderWay={isUnderWay} onUnderWay={setUnderWay} />
        </Suspense>
      )}
    </Stack>
  )
}
