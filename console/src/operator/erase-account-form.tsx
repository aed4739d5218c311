import { Alert, Button, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { AnswerOf } from '../../../src/api/console/calls.ts'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { formatExact, formatNumber } from '../ui/format.ts'

type Step = AnswerOf<'operator/erase-account'>

/** Form to erase an account and its users after its name was typed. It runs step by step while the dialog is open. */
export function EraseAccountForm({ account }: { account: OperatedAccount }) {
  const [typed, setTyped] = useState('')
  const [done, setDone] = useState({ erased: 0, canceled: 0 })
  const [last, setLast] = useState<Step | null>(null)
  const erase = useChange('operator/erase-account', ['operator/accounts', 'operator/audit'])
  const run = (): void =>
    erase.mutate(
      { accountId: account.id, confirm: account.name },
      {
        onSuccess: (step) => {
          setDone((sum) => ({ erased: sum.erased + step.erased, canceled: sum.canceled + step.canceled }))
          setLast(step)
          if (!step.isFinished) run()
        },
      },
    )
  if (last?.isFinished === true) return <Erased {...done} />
  const isRunning = erase.isPending || (last !== null && !erase.isError)
  return (
    <Stack>
      <Text size="sm">
        Erases texts, numbers, names and secrets of the account, and users who have no other account. Queued
        messages are canceled and their SMS released. Counts, costs and times are kept. This cannot be undone.
      </Text>
      <CallFault error={erase.error} />
      {isRunning ? (
        <Running {...done} last={last} />
      ) : (
        <>
          <TextInput
            label={`Type ${account.name} to confirm`}
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button color="red" disabled={typed !== account.name} onClick={run}>
            Erase {account.name}
          </Button>
        </>
      )}
    </Stack>
  )
}

function Running({ erased, last }: { erased: number; canceled: number; last: Step | null }) {
  return (
    <Alert color="blue" variant="light" role="status" icon={<Loader size="xs" />} title="Erasing">
      <Text size="sm">
        {last === null || last.inFlight === 0
          ? `${formatNumber(erased)} messages erased so far. Keep this dialog open. If it closes, erase the account again to continue.`
          : inFlightText(last)}
      </Text>
    </Alert>
  )
}

const inFlightText = ({ inFlight, finalBy }: Step): string => {
  const by = finalBy === null ? '' : `, at ${formatExact(finalBy)} at the latest`
  return `${formatNumber(inFlight)} messages in flight. Erasing continues when they are final${by}. No new messages are sent in the meantime: you can close this dialog and erase the account again later.`
}

function Erased({ erased, canceled }: { erased: number; canceled: number }) {
  return (
    <Alert color="teal" variant="light" role="status" title="Erased">
      <Text size="sm">
        Account erased: {formatNumber(erased)} messages, of which {formatNumber(canceled)} were queued and
        canceled. Earlier backups still contain it.
      </Text>
    </Alert>
  )
}
