import { Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { useSignOut } from './use-sign-out.ts'

/** The menu of the person. It opens at once, since the button that it takes the place of was pressed, and takes over its focus. */
export function UserMenuOpen({ name }: { name: string }) {
  const { data } = useQuery(sessionQuery)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const target = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    target.current?.focus()
    setOpened(true)
  }, [])
  const open = (accountId: string): void =>
    void navigate({ to: '/a/$accountId/$mode', params: { accountId, mode: 'live' } })
  return (
    <Menu
      position="bottom-end"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      opened={opened}
      onChange={setOpened}
      returnFocus
    >
      <Menu.Target>
        <Button ref={target} variant="default" size="xs" aria-label={`${name}: accounts and sign-out`}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{data?.user?.email}</Menu.Label>
        {data?.accounts.map(({ id, name: account }) => (
          <Menu.Item key={id} onClick={() => open(id)}>
            {account}
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
