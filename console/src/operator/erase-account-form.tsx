import { Alert, Button, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { AnswerOf } from '../../../src/api/console/calls.ts'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { formatExact, formatNumber } from '../ui/format.ts'

type Piece = AnswerOf<'operator/erase-account'>

/** Erases an account with its people once its name was typed; it is asked for piece by piece as long as this is open. */
export function EraseAccountForm({ account }: { account: OperatedAccount }) {
  const [typed, setTyped] = useState('')
  const [done, setDone] = useState({ erased: 0, canceled: 0 })
  const [last, setLast] = useState<Piece | null>(null)
  const erase = useChange('operator/erase-account', ['operator/accounts', 'operator/audit'])
  const goOn = (): void =>
    erase.mutate(
      { accountId: account.id, confirm: account.name },
      {
        onSuccess: (piece) => {
          setDone((sum) => ({ erased: sum.erased + piece.erased, canceled: sum.canceled + piece.canceled }))
          setLast(piece)
          if (!piece.isFinished) goOn()
        },
      },
    )
  if (last?.isFinished === true) return <Erased {...done} />
  const isRunning = erase.isPending || (last !== null && !erase.isError)
  return (
    <Stack>
      <Text size="sm">
        Texts, numbers, names and secrets of the account are erased, and its people who are in no other
        account. What waits is cancelled and its SMS are released. Counts, costs and times stay. There is no
        way back.
      </Text>
      <CallFault error={erase.error} />
      {isRunning ? (
        <Running {...done} last={last} />
      ) : (
        <>
          <TextInput
            label={`Type ${account.name} to erase it`}
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button color="red" disabled={typed !== account.name} onClick={goOn}>
            Erase {account.name}
          </Button>
        </>
      )}
    </Stack>
  )
}

function Running({ erased, last }: { erased: number; canceled: number; last: Piece | null }) {
  return (
    <Alert color="blue" variant="light" role="status" icon={<Loader size="xs" />} title="Erasing">
      <Text size="sm">
        {last === null || last.inFlight === 0
          ? `${formatNumber(erased)} messages erased so far. Keep this open; should it be closed, erase the account again and it goes on.`
          : inFlightText(last)}
      </Text>
    </Alert>
  )
}

const inFlightText = ({ inFlight, finalBy }: Piece): string => {
  const by = finalBy === null ? '' : `, which is by ${formatExact(finalBy)} at the latest`
  return `${formatNumber(inFlight)} messages are being handed over. It goes on when they are final${by}. Nothing new is sent meanwhile: you may close this and erase the account again then.`
}

function Erased({ erased, canceled }: { erased: number; canceled: number }) {
  return (
    <Alert color="teal" variant="light" role="status" title="Erased">
      <Text size="sm">
        The account is erased: {formatNumber(erased)} messages, and {formatNumber(canceled)} that waited were
        cancelled. Backups made before still hold it.
      </Text>
    </Alert>
  )
}
