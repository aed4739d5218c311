import { Button, Group, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { StatementAnswer } from '../../../src/api/console/balance-calls.ts'
import type { StatementRow } from '../../../src/ledger/statement.ts'
import { addressOf } from '../api/call.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { formatNumber } from '../ui/format.ts'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

const dayMs = 86_400_000
const spans = { '30': '30 days', '90': '90 days', '365': 'A year' } as const
const rowsAtOnce = 50

/** What was given and used, newest first, each line with the balance after it; the same as a file. */
export function StatementTable() {
  const place = useAccountPlace()
  const [days, setDays] = useState<keyof typeof spans>('30')
  const toDay = Math.floor(Date.now() / dayMs) + 1
  const period = { fromDay: toDay - Number(days), toDay }
  const statement = useCall('balance/statement', period)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Statement</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Period of the statement"
            value={days}
            onChange={setDays}
            data={Object.entries(spans).map(([value, label]) => ({
              value: value as keyof typeof spans,
              label,
            }))}
          />
          <Button
            component="a"
            size="xs"
            variant="default"
            href={addressOf('balance/export', place, period)}
            download
          >
            Export as CSV
          </Button>
        </Group>
      </Group>
      <ListState
        query={statement}
        isEmpty={({ rows, opening }) => rows.length === 0 && opening === 0}
        empty={
          <EmptyWords title="Nothing in this period">
            <Text size="sm">
              Grants, corrections and what messages used show up here, each with the balance after it.
            </Text>
          </EmptyWords>
        }
      >
        {(answer) => <Rows key={days} of={answer} />}
      </ListState>
    </Stack>
  )
}

function Rows({ of: { rows, opening, names, fromDay } }: { of: StatementAnswer }) {
  const [most, setMost] = useState(rowsAtOnce)
  const newest = rows.toReversed()
  return (
    <>
      <Table.ScrollContainer minWidth={330} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs" captionSide="top" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <Table.Caption ta="left">
            Newest first. What messages under way have reserved is still in this balance.
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th ta="right">SMS</Table.Th>
              <Table.Th ta="right">Balance</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {newest.slice(0, most).map((row) => (
              <Row key={row.kind === 'usage' ? row.atMs : row.id} of={row} names={names} />
            ))}
            {newest.length > most ? null : (
              <Table.Tr>
                <Table.Td>{utcDate.format(fromDay * dayMs)}</Table.Td>
                <Table.Td>Balance before</Table.Td>
                <Table.Td />
                <Table.Td ta="right">{formatNumber(opening)}</Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {newest.length > most ? (
        <Button size="xs" variant="default" onClick={() => setMost(most + rowsAtOnce)}>
          Show {Math.min(rowsAtOnce, newest.length - most)} more of {formatNumber(newest.length)}
        </Button>
      ) : null}
    </>
  )
}

const utcDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const kinds = { grant: 'Grant', top_up: 'Top-up', correction: 'Correction', refill: 'Daily refill' } as const
const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' })

function Row({ of, names }: { of: StatementRow; names: Readonly<Record<string, string>> }) {
  return (
    <Table.Tr>
      <Table.Td>{of.kind === 'usage' ? utcDate.format(of.atMs) : <TimeAgo at={of.atMs} />}</Table.Td>
      <Table.Td>
        {of.kind === 'usage' ? (
          'Used by messages'
        ) : (
          <>
            {kinds[of.kind]}{' '}
            <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {of.note} By {names[of.actor] ?? actors[of.actor] ?? of.actor}.
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td ta="right">{signed.format(of.sms)}</Table.Td>
      <Table.Td ta="right" fw={500}>
        {formatNumber(of.balance)}
      </Table.Td>
    </Table.Tr>
  )
}

/** Those who are no people. */
const actors: Readonly<Record<string, string>> = { system: 'the service', cli: 'the command line' }
