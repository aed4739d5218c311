import { SegmentedControl, Stack, Title } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { useAccountPlace } from '../api/place.ts'
import { Compose } from './compose.tsx'

const TableSend = lazyPart(async () => (await import('./table-send.tsx')).TableSend)

/** Page to send one text to a few numbers, or a table with a text for each number. */
export function SendPage() {
  const { accountId, mode } = useAccountPlace()
  const [kind, setKind] = useState<'text' | 'table'>('text')
  const [isSending, setSending] = useState(false)
  return (
    <Stack gap="lg" maw={760}>
      <Title order={1}>Send</Title>
      <SegmentedControl
        aria-label="What to send"
        value={kind}
        onChange={setKind}
        disabled={isSending}
        data={[
          { value: 'text', label: 'Single text' },
          { value: 'table', label: 'Table (CSV)' },
        ]}
      />
      {kind === 'text' ? (
        <Compose key={`${accountId} ${mode}`} />
      ) : (
        <Suspense>
          <TableSend key={mode} isSending={isSending} onSendingChange={setSending} />
        </Suspense>
      )}
    </Stack>
  )
}
