import { Anchor, Badge, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { DataTable } from '../ui/data-table.tsx'
import { formatNumber } from '../ui/format.ts'
import { KeysetPager, useKeysetPages } from '../ui/keyset-pager.tsx'
import { EmptyText, ListState } from '../ui/list-state.tsx'
import { MenuButton, type MenuLine } from '../ui/menu-button.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { InvitationTable } from '../members/invitation-table.tsx'
import { AccountDialog, type AccountTask } from './account-dialog.tsx'
import { EraseNumber } from './erase-number.tsx'
import { InviteToOpen } from './invite-to-open.tsx'
import { OpenAccount } from './open-account.tsx'

/** Page with all accounts of the instance: search, creation and actions. */
export function AccountsPage() {
  const [words, setWords] = useState('')
  const [settled] = useDebouncedValue(words, 300)
  const pages = useKeysetPages()
  const accounts = useCall('operator/accounts', { words: settled, ...pages.input }, { keepsPrevious: true })
  const [task, setTask] = useState<AccountTask | null>(null)
  const [dialog, setDialog] = useState<'open' | 'invite' | 'erase' | null>(null)
  const close = (): void => setDialog(null)
  const search = (text: string): void => {
    setWords(text)
    pages.toFirst()
  }
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Accounts</Title>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setDialog('erase')}>
            Erase number
          </Button>
          <Button size="xs" variant="default" onClick={() => setDialog('invite')}>
            Invite user
          </Button>
          <Button size="xs" onClick={() => setDialog('open')}>
            Create account
          </Button>
        </Group>
      </Group>
      <TextInput
        type="search"
        aria-label="Search accounts"
        placeholder="Name, e-mail address or ID"
        value={words}
        onChange={(event) => search(event.currentTarget.value)}
      />
      <ListState
        query={accounts}
        isEmpty={(answer) => answer.accounts.length === 0}
        isFiltered={settled !== ''}
        onClearFilter={() => search('')}
        empty={
          <EmptyText title="No accounts yet">
            <Text size="sm">Create one, or allow sign-up (ONESIXTY_SIGNUP).</Text>
          </EmptyText>
        }
      >
        {({ accounts: rows, nextBeforeId }) => (
          <>
            <AccountTable rows={rows} onTask={setTask} />
            <KeysetPager pages={pages} nextBeforeId={nextBeforeId} />
          </>
        )}
      </ListState>
      <Invitations />
      <AccountDialog task={task} onClose={() => setTask(null)} />
      <InviteToOpen opened={dialog === 'invite'} onClose={close} />
      <EraseNumber opened={dialog === 'erase'} onClose={close} />
      <OpenAccount opened={dialog === 'open'} onClose={close} />
    </Stack>
  )
}

/** Lists pending invitations to create an account. */
function Invitations() {
  const { data } = useCall('operator/invitations', {})
  const revoke = useChange('operator/revoke-invitation', ['operator/invitations', 'operator/audit'])
  if (data === undefined || data.invitations.length === 0) return null
  return <InvitationTable invitations={data.invitations} revoke={revoke} />
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
    <DataTable minWidth={720}>
      <thead>
        <tr>
          <th>Account</th>
          <th>Owner</th>
          <th>State</th>
          <th data-end>SMS available</th>
          <th>Own devices</th>
          <th>Created</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>
              <Anchor component={Link} to={`/a/${row.id}/live/history`} size="sm" c="inherit">
                {row.name}
              </Anchor>
              <Text size="xs" c="dimmed">
                {row.id}
              </Text>
              {row.plan === null ? null : (
                <Text size="xs" c="dimmed">
                  Plan: {row.plan}
                </Text>
              )}
            </td>
            <td>{row.emails.join(', ')}</td>
            <td>
              <Badge variant="light" color={stateColors[row.state]}>
                {row.state}
              </Badge>
            </td>
            <td data-end>
              {formatNumber(row.live.available)} of {formatNumber(row.live.granted)}
            </td>
            <td>
              {row.ownDevices}
              {row.live.ownUsed === 0 ? null : (
                <Text size="xs" c="dimmed">
                  {formatNumber(row.live.ownUsed)} SMS
                </Text>
              )}
            </td>
            <td>
              <TimeAgo at={row.createdAt} />
            </td>
            <td data-end>
              <AccountMenu of={row} onTask={onTask} />
            </td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  )
}

function AccountMenu({ of, onTask }: { of: OperatedAccount; onTask: (task: AccountTask) => void }) {
  const line = (what: AccountTask['what'], label: string, color?: string): MenuLine => ({
    label,
    run: () => onTask({ what, account: of }),
    ...(color === undefined ? {} : { color }),
  })
  return (
    <MenuButton
      label="Change"
      description={`Change ${of.name}`}
      size="compact-xs"
      sections={[
        [
          line('grant', 'Grant SMS'),
          line('limits', 'Edit limits'),
          line('reach', 'Edit countries and quiet hours'),
          line('own-devices', 'Edit what own devices cost'),
          line('plan', 'Edit plan'),
          line('reset-link', 'Create reset link for owner'),
          ...(of.state === 'active' ? [line('suspended', 'Suspend')] : []),
          ...(of.state === 'suspended' ? [line('active', 'Reactivate')] : []),
          ...(of.state === 'closed' ? [] : [line('closed', 'Close account', 'red')]),
          line('erase', 'Erase permanently', 'red'),
        ],
      ]}
    />
  )
}
