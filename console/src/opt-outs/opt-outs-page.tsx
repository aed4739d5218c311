import { Badge, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { ListedOptOut } from '../../../src/messages/opt-outs/manage-opt-outs.ts'
import { useCall } from '../api/use-call.ts'
import { plainNumber } from '../send/recipients.ts'
import { faultOf } from '../ui/call-fault.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { Keywords } from './keywords.tsx'
import { QuietHours } from './quiet-hours.tsx'
import { RemoveOptOut } from './remove-opt-out.tsx'

const AddOptOuts = lazyPart(async () => (await import('./add-opt-outs.tsx')).AddOptOuts)

/** Length of the shortest number: fewer digits are not searched. */
const minDigits = 7
const pauseMs = 300

/** Page with the numbers that the account must not send to, newest first. */
export function OptOutsPage() {
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(plainNumber(typed), pauseMs)
  const [adding, { open, close }] = useDisclosure()
  const [removing, setRemoving] = useState<ListedOptOut | null>(null)
  const pages = useKeysetPages()
  const isSearched = settled.replace(/\D/g, '').length >= minDigits
  const list = useCall(
    'opt-outs/list',
    { ...pages.input, ...(isSearched ? { number: settled } : {}) },
    { keepsPrevious: true },
  )
  const search = (text: string): void => {
    setTyped(text)
    pages.toFirst()
  }
  const fault = isSearched ? faultOf(list.error, 'number') : undefined
  return (
    <Stack gap="md" maw={960}>
      <Group justify="space-between">
        <Title order={1}>Opt-outs</Title>
        <Button size="xs" onClick={open}>
          Add numbers
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Numbers that replied STOP, and those that you added. Sends to them are rejected, and queued messages
        are canceled.
      </Text>
      <QuietHours />
      <Keywords />
      <TextInput
        label="Search by number"
        placeholder="+491701234567"
        type="tel"
        value={typed}
        error={fault}
        onChange={(event) => search(event.currentTarget.value)}
        maw={320}
      />
      {fault === undefined ? (
        <ListState
          query={list}
          isEmpty={({ rows }) => rows.length === 0}
          isFiltered={isSearched}
          onClearFilter={() => search('')}
          empty={
            <EmptyText title="No opt-outs">
              <Text size="sm">
                Numbers that reply STOP are added immediately. Replying START removes them.
              </Text>
            </EmptyText>
          }
        >
          {({ rows, next }) => (
            <>
              <OptOutTable rows={rows} onRemove={setRemoving} />
              <KeysetPager pages={pages} nextBeforeId={next} />
            </>
          )}
        </ListState>
      ) : null}
      <Dialog opened={adding} onClose={close} title="Add numbers" size="lg">
        <AddOptOuts />
      </Dialog>
      <Dialog opened={removing !== null} onClose={() => setRemoving(null)} title="Remove opt-out">
        {removing === null ? null : <RemoveOptOut of={removing} onDone={() => setRemoving(null)} />}
      </Dialog>
    </Stack>
  )
}

const by = { message: 'STOP message', console: 'the console', command: 'a command' } as const

const OptOutTable = ({
  rows,
  onRemove,
}: {
  rows: readonly ListedOptOut[]
  onRemove: (row: ListedOptOut) => void
}) => (
  <DataTable minWidth={480}>
    <thead>
      <tr>
        <th>Number</th>
        <th>Since</th>
        <th>By</th>
        <th data-end>
          <span className="mantine-visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.recipient}>
          <td style={{ fontVariantNumeric: 'tabular-nums' }}>
            {row.isErased ? <Text c="dimmed">erased number</Text> : row.recipient}{' '}
            {row.endsAtMs === null ? null : (
              <Badge variant="light" color="gray">
                expires <TimeAgo at={row.endsAtMs} />
              </Badge>
            )}
          </td>
          <td>
            <TimeAgo at={row.sinceMs} />
          </td>
          <td>{by[row.origin]}</td>
          <td data-end>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onRemove(row)}
              aria-label={`Remove ${nameOf(row)}`}
            >
              Remove
            </Button>
          </td>
        </tr>
      ))}
    </tbody>
  </DataTable>
)

const nameOf = ({ isErased, recipient }: ListedOptOut): string => (isErased ? 'an erased number' : recipient)
