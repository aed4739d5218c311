import { Alert, FileInput, List, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { AddedOptOuts } from '../../../src/api/console/messages/opt-out-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { formatNumber } from '../ui/format.ts'
import { inPieces } from './in-pieces.ts'

const maxFaultsShown = 10

/** Form to add a pasted list or a file of numbers. */
export function AddOptOuts() {
  const [text, setText] = useState('')
  const [done, setDone] = useState<AddedOptOuts | null>(null)
  const [isRunning, setRunning] = useState(false)
  const add = useChange('opt-outs/add', ['opt-outs/list'])
  const submit = async (): Promise<void> => {
    const sum: AddedOptOuts = { added: 0, known: 0, canceled: 0, faults: [] }
    setRunning(true)
    try {
      for (const piece of inPieces(text)) {
        const { added, known, canceled, faults } = await add.mutateAsync({ text: piece.text })
        sum.added += added
        sum.known += known
        sum.canceled += canceled
        sum.faults.push(...faults.map((fault) => ({ ...fault, line: fault.line + piece.linesBefore })))
      }
      setText('')
    } finally {
      setRunning(false)
      setDone(sum)
    }
  }
  return (
    <CallForm
      call={{ error: add.error, isPending: isRunning }}
      onSubmit={() => void submit().catch(() => undefined)}
      action="Add"
      disabled={text.trim() === ''}
    >
      {done === null ? null : <Done of={done} />}
      <Textarea
        label="Numbers"
        description="One number per line in international format, or a table: its first column with a number is used."
        autosize
        minRows={4}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <FileInput
        label="Or a file (CSV or text)"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={(file) => {
          if (file !== null) void file.text().then(setText)
        }}
      />
    </CallForm>
  )
}

function Done({ of: { added, known, canceled, faults } }: { of: AddedOptOuts }) {
  const more = faults.length - maxFaultsShown
  return (
    <Alert color={faults.length === 0 ? 'teal' : 'yellow'} variant="light" role="status">
      <Stack gap="xs">
        <Text size="sm">
          {formatNumber(added)} added, {formatNumber(known)} already listed; {formatNumber(canceled)} queued{' '}
          {canceled === 1 ? 'message' : 'messages'} canceled.
        </Text>
        {faults.length === 0 ? null : (
          <>
            <Text size="sm">These lines have no number and were skipped:</Text>
            <List size="sm">
              {faults.slice(0, maxFaultsShown).map(({ line, detail }) => (
                <List.Item key={line}>
                  Line {line}: {detail}
                </List.Item>
              ))}
            </List>
            {more > 0 ? <Text size="sm">and {formatNumber(more)} more</Text> : null}
          </>
        )}
      </Stack>
    </Alert>
  )
}
