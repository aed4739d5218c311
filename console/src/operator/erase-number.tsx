import type { ErasedNumber } from '../../../src/api/console/operator/erase-calls.ts'
import { Alert, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatNumber } from '../ui/format.ts'

/** Erases a number from all accounts; it wants to be typed twice, since there is no way back. */
export function EraseNumber({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Erase a number">
      <EraseForm />
    </Dialog>
  )
}

function EraseForm() {
  const [number, setNumber] = useState('')
  const [again, setAgain] = useState('')
  const erase = useChange('operator/erase-number', ['operator/audit'])
  if (erase.data !== undefined) return <Erased {...erase.data} />
  return (
    <CallForm
      call={erase}
      onSubmit={() => erase.mutate({ number })}
      action={`Erase ${number === '' ? 'the number' : number}`}
      color="red"
      disabled={number === '' || number !== again}
    >
      <Text size="sm">
        The number and the texts of all its messages are erased, in every account. What waits for it is
        cancelled and its SMS are released. The statements keep their amounts. There is no way back.
      </Text>
      <TextInput
        label="Number"
        placeholder="+491701234567"
        data-autofocus
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value.trim())}
      />
      <TextInput
        label="The same number again"
        value={again}
        onChange={(event) => setAgain(event.currentTarget.value.trim())}
      />
    </CallForm>
  )
}

function Erased({ erased, canceled, inFlight, isLogEmpty }: ErasedNumber) {
  return (
    <Alert color="teal" variant="light" role="status" title="Erased">
      <Text size="sm">
        {formatNumber(erased)} messages erased, {formatNumber(canceled)} cancelled before.
        {inFlight === 0
          ? ''
          : ` ${formatNumber(inFlight)} are being handed over: erase the number again when they are final.`}
        {isLogEmpty === false
          ? ' Somebody reads at this moment, so that old pages stay in the write-ahead log until the server has written over them.'
          : ''}
      </Text>
    </Alert>
  )
}
