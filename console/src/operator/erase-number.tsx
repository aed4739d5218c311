import type { ErasedNumber } from '../../../src/api/console/operator/erase-calls.ts'
import { Alert, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatNumber } from '../ui/format.ts'

/** Dialog to erase a number from all accounts. It must be typed twice, as this cannot be undone. */
export function EraseNumber({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Erase number">
      <EraseForm />
    </Dialog>
  )
}

function EraseForm() {
  const [number, setNumber] = useState('')
  const [repeated, setRepeated] = useState('')
  const erase = useChange('operator/erase-number', ['operator/audit'])
  if (erase.data !== undefined) return <Erased {...erase.data} />
  return (
    <CallForm
      call={erase}
      onSubmit={() => erase.mutate({ number })}
      action={`Erase ${number === '' ? 'number' : number}`}
      color="red"
      disabled={number === '' || number !== repeated}
    >
      <Text size="sm">
        Erases the number and the texts of all its messages in every account. Queued messages to it are
        canceled and their SMS released. Statements keep their amounts. This cannot be undone.
      </Text>
      <TextInput
        label="Number"
        placeholder="+491701234567"
        data-autofocus
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value.trim())}
      />
      <TextInput
        label="Repeat number"
        value={repeated}
        onChange={(event) => setRepeated(event.currentTarget.value.trim())}
      />
    </CallForm>
  )
}

function Erased({ erased, canceled, inFlight, isLogEmpty }: ErasedNumber) {
  return (
    <Alert color="teal" variant="light" role="status" title="Erased">
      <Text size="sm">
        {formatNumber(erased)} {erased === 1 ? 'message' : 'messages'} erased, {formatNumber(canceled)}{' '}
        canceled before.
        {inFlight === 0
          ? ''
          : ` ${formatNumber(inFlight)} in flight: erase the number again when they are final.`}
        {isLogEmpty === false
          ? ' A reader is active: old pages stay in the write-ahead log until the server overwrites them.'
          : ''}
      </Text>
    </Alert>
  )
}
