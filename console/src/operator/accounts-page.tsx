import { Anchor, Badge, Button, Group, Menu, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator-calls.ts'
import { useCall } from '../api/use-call.ts'
import { formatNumber } from '../ui/format.ts'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyWords, ListState } from '../ui/list-state.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { AccountDialog, type AccountTask } from './account-dialog.tsx'
import { EraseNumber } from './erase-number.tsx'
import { OpenAccount } from './open-account.tsx'

/** All accounts of the instance: found by name, address or id, and what can be done to each. */
export function AccountsPage() {
  const [words, setWords] = useState('')
  const [settled] = useDebouncedValue(words, 300)
  const pages = useKeysetPages()
  const accounts = useCall('operator/accounts', { words: settled, ...pages.input })
  const [task, setTask] = useState<AccountTask | null>(null)
  const [isOpening, setIsOpening] = useState(false)
  const [isErasing, setIsErasing] = useState(false)
  const search = (text: string): void => {
    setWords(text)
    pages.toFirst()
  }
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Accounts</Title>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setIsErasing(true)}>
            Erase a number
          </Button>
          <Button size="xs" onClick={() => setIsOpening(true)}>
            Open an account
          </Button>
        </Group>
      </Group>
      <TextInput
        type="search"
        aria-label="Search accounts"
        placeholder="Name, e-mail address or id"
        value={words}
        onChange={(event) => search(event.currentTarget.value)}
      />
      <ListState
        query={accounts}
        isEmpty={(answer) => answer.accounts.length === 0}
        isFiltered={settled !== ''}
        onClearFilter={() => search('')}
        empty={
          <EmptyWords title="No accounts yet">
            <Text size="sm">Open one, or let people sign up (ONESIXTY_SIGNUP).</Text>
          </EmptyWords>
        }
      >
        {({ accounts: rows, nextBeforeId }) => (
          <>
            <AccountTable rows={rows} onTask={setTask} />
            <KeysetPager pages={pages} nextBeforeId={nextBeforeId} />
          </>
        )}
      </ListState>
      <AccountDialog task={task} onClose={() => setTask(null)} />
      <EraseNumber opened={isErasing} onClose={() => setIsErasing(false)} />
      <OpenAccount opened={isOpening} onClose={() => setIsOpening(false)} />
    </Stack>
  )
}

const stateColors = { active: 'teal', suspended: 'orange', closed: 'gray' } as const

function AccountTable({
  rows,
  onTask,
}: {
  rows: readonly OperatedAccount[]
  onTask: (task: AccountTask) => void
}) {
  return (
    <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing="xs" style={{ fontVariantNumeric: 'tabular-nums' }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Account</Table.Th>
            <Table.Th>Owner</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">SMS available</Table.Th>
            <Table.Th>Opened</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>
                <Anchor component={Link} to={`/a/${row.id}/live/history`} size="sm" c="inherit">
                  {row.name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {row.id}
                </Text>
              </Table.Td>
              <Table.Td>{row.emails.join(', ')}</Table.Td>
              <Table.Td>
                <Badge variant="light" color={stateColors[row.state]}>
                  {row.state}
                </Badge>
              </Table.Td>
              <Table.Td ta="right">
                {formatNumber(row.live.available)} of {formatNumber(row.live.granted)}
              </Table.Td>
              <Table.Td>
                <TimeAgo at={row.createdAt} />
              </Table.Td>
              <Table.Td>
                <AccountMenu of={row} onTask={onTask} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function AccountMenu({ of, onTask }: { of: OperatedAccount; onTask: (task: AccountTask) => void }) {
  const item = (what: AccountTask['what'], label: string, color?: string) => (
    <Menu.Item {...(color === undefined ? {} : { color })} onClick={() => onTask({ what, account: of })}>
      {label}
    </Menu.Item>
  )
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={`Change ${of.name}`}>
          Change
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {item('grant', 'Grant SMS')}
        {item('limits', 'Limits')}
        {item('reset-link', 'Reset link for the owner')}
        {of.state === 'active' ? item('suspended', 'Suspend') : null}
        {of.state === 'suspended' ? item('active', 'Reactivate') : null}
        {of.state === 'closed' ? null : item('closed', 'Close for ever', 'red')}
      </Menu.Dropdown>
    </Menu>
  )
}
