import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { change } from '../api/call.ts'
import { sessionQuery } from '../api/session.ts'

/** Whose session this is, the person's other accounts, and the way out. */
export function UserMenu() {
  const { data } = useQuery(sessionQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = async (): Promise<void> => {
    await change('session/sign-out', null, {})
    client.clear()
    await navigate({ to: '/sign-in' })
  }
  const open = (accountId: string): void =>
    void navigate({ to: '/a/$accountId/$mode', params: { accountId, mode: 'live' } })
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" aria-label={`${data?.user?.name ?? '…'}: accounts and sign-out`}>
          {data?.user?.name ?? '…'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{data?.user?.email}</Menu.Label>
        {data?.accounts.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => open(id)}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {data?.user?.isOperator === true ? (
          <Menu.Item component={Link} to="/operator">
            Run this instance
          </Menu.Item>
        ) : null}
        <Menu.Item component={Link} to="/profile">
          Profile and security
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
