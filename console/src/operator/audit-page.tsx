import { Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { AuditLine } from '../../../src/api/console/operator/audit-calls.ts'
import { useCall } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Audit log, newest first. */
export function AuditPage() {
  const [filter, setFilter] = useState({ action: '', accountId: '', actor: '' })
  const [settled] = useDebouncedValue(filter, 300)
  const pages = useKeysetPages()
  const given = Object.fromEntries(Object.entries(settled).filter(([, text]) => text.trim() !== ''))
  const audit = useCall('operator/audit', { ...given, ...pages.input }, { keepsPrevious: true })
  const set = (changed: Partial<typeof filter>): void => {
    setFilter({ ...filter, ...changed })
    pages.toFirst()
  }
  return (
    <Stack>
      <Title order={1}>Audit log</Title>
      <Group grow preventGrowOverflow={false} align="end">
        <TextInput
          label="Action"
          placeholder="balance.granted"
          value={filter.action}
          onChange={(event) =>
            set({ action: event.currentTarget.value.toLowerCase().replace(/[^a-z_.]/g, '') })
          }
        />
        <TextInput
          label="Account"
          placeholder="acc_…"
          value={filter.accountId}
          onChange={(event) => set({ accountId: event.currentTarget.value.trim() })}
        />
        <TextInput
          label="Actor"
          placeholder="usr_… or cli"
          value={filter.actor}
          onChange={(event) => set({ actor: event.currentTarget.value.trim() })}
        />
      </Group>
      <ListState
        query={audit}
        isEmpty={(answer) => answer.lines.length === 0}
        isFiltered={Object.keys(given).length > 0}
        onClearFilter={() => set({ action: '', accountId: '', actor: '' })}
        empty={
          <EmptyText title="No entries yet">
            <Text size="sm">Changes of accounts, keys, balances and devices are recorded here.</Text>
          </EmptyText>
        }
      >
        {({ lines, nextBeforeId }) => (
          <>
            <AuditTable lines={lines} />
            <KeysetPager pages={pages} nextBeforeId={nextBeforeId} />
          </>
        )}
      </ListState>
    </Stack>
  )
}

const AuditTable = ({ lines }: { lines: readonly AuditLine[] }) => (
  <DataTable minWidth={1000}>
    <thead>
      <tr>
        <th>Time</th>
        <th>Actor</th>
        <th>Action</th>
        <th style={{ width: '15%' }}>Account</th>
        <th style={{ width: '35%' }}>Details</th>
      </tr>
    </thead>
    <tbody>
      {lines.map((line) => (
        <tr key={line.id}>
          <td style={{ whiteSpace: 'nowrap' }}>
            <TimeAgo at={line.at} />
          </td>
          <td>{line.actor}</td>
          <td style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>{line.action}</td>
          <td>{line.accountName ?? line.accountId ?? 'instance'}</td>
          <td>
            <Text
              size="xs"
              ff="monospace"
              lineClamp={2}
              title={JSON.stringify(line.detail)}
              style={{ overflowWrap: 'anywhere' }}
            >
              {JSON.stringify(line.detail)}
            </Text>
          </td>
        </tr>
      ))}
    </tbody>
  </DataTable>
)
