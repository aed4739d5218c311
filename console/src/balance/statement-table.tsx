import { Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { StatementAnswer } from '../../../src/api/console/account/balance-calls.ts'
import type { StatementRow } from '../../../src/ledger/statement.ts'
import { addressOf } from '../api/call.ts'
import { useAccountPlace } from '../api/place.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { formatNumber } from '../ui/format.ts'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

const dayMs = 86_400_000
const spans = { '30': '30 days', '90': '90 days', '365': '1 year' } as const
const rowsPerStep = 50

/** Table of credits and usage, newest first, each with the balance after it; also as a CSV file. */
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
            aria-label="Statement period"
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
          <EmptyText title="No entries in this period">
            <Text size="sm">Grants, corrections and usage appear here, each with the balance after it.</Text>
          </EmptyText>
        }
      >
        {(answer) => <Rows key={days} of={answer} />}
      </ListState>
    </Stack>
  )
}

function Rows({ of: { rows, opening, names, fromDay } }: { of: StatementAnswer }) {
  const [visible, setVisible] = useState(rowsPerStep)
  const newest = rows.toReversed()
  return (
    <>
      <DataTable
        minWidth={330}
        caption="Newest first. This balance includes SMS held for messages in progress."
      >
        <thead>
          <tr>
            <th>Time</th>
            <th>Entry</th>
            <th data-end>SMS</th>
            <th data-end>Balance</th>
          </tr>
        </thead>
        <tbody>
          {newest.slice(0, visible).map((row) => (
            <Row key={row.kind === 'usage' ? row.atMs : row.id} of={row} names={names} />
          ))}
          {newest.length > visible ? null : (
            <tr>
              <td>{utcDate.format(fromDay * dayMs)}</td>
              <td>Balance before</td>
              <td />
              <td data-end>{formatNumber(opening)}</td>
            </tr>
          )}
        </tbody>
      </DataTable>
      {newest.length > visible ? (
        <Button size="xs" variant="default" onClick={() => setVisible(visible + rowsPerStep)}>
          Show {Math.min(rowsPerStep, newest.length - visible)} more of {formatNumber(newest.length)}
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
    <tr>
      <td>{of.kind === 'usage' ? utcDate.format(of.atMs) : <TimeAgo at={of.atMs} />}</td>
      <td>
        {of.kind === 'usage' ? (
          'Used by messages'
        ) : (
          <>
            {kinds[of.kind]}{' '}
            <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {sentence(of.note)} By {names[of.actor] ?? actorName(of.actor)}.
            </Text>
          </>
        )}
      </td>
      <td data-end>{signed.format(of.sms)}</td>
      <td data-end style={{ fontWeight: 500 }}>
        {formatNumber(of.balance)}
      </td>
    </tr>
  )
}

const sentence = (note: string): string => (/[.!?…]$/.test(note) ? note : `${note}.`)

/** Actors that are not users. Accounts must not see the name of an operator's API token. */
const actors: Readonly<Record<string, string>> = { system: 'the server', cli: 'the command line' }
const actorName = (actor: string): string =>
  actors[actor] ?? (actor.startsWith('otk_') ? 'an API client of the operator' : actor)
