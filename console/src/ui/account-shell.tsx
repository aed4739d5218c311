import { AppShell, Badge, Burger, Flex, Group, NavLink, SegmentedControl, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import type { Place } from '../api/call.ts'
import { pathOf, useAccountPlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'
import { pages } from '../pages.ts'
import { Available } from './available.tsx'
import { SearchButton } from './search-button.tsx'
import { SkipLink } from './skip-link.tsx'
import { UserMenu } from './user-menu.tsx'

/** Renders the frame of every account page: name, mode, navigation. */
export function AccountShell() {
  const [opened, { toggle, close }] = useDisclosure()
  const place = useAccountPlace()
  const base = pathOf(place)
  const { pathname } = useLocation()
  return (
    <AppShell
      header={{ height: { base: 92, sm: 56 } }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <SkipLink />
      <AppShell.Header px="md">
        <Header opened={opened} toggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ label, path }) => (
          <NavLink
            key={path}
            component={Link}
            to={base + path}
            activeOptions={{ exact: path === '', includeSearch: false }}
            label={label}
            active={
              path === '' ? pathname === base || pathname === `${base}/` : pathname.startsWith(base + path)
            }
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function Header({ opened, toggle }: { opened: boolean; toggle: () => void }) {
  const place = useAccountPlace()
  const { accountId, mode } = place
  const { data } = useQuery(sessionQuery)
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const account = data?.accounts.find(({ id }) => id === accountId)
  const switchMode = (next: Place['mode']): void =>
    void navigate({ to: pathname.replace(pathOf(place), pathOf({ accountId, mode: next })) })
  return (
    // Two lines on narrow screens, where the name does not fit next to the rest.
    <Flex
      h="100%"
      direction={{ base: 'column', sm: 'row' }}
      justify={{ base: 'center', sm: 'space-between' }}
      align={{ sm: 'center' }}
      gap="xs"
    >
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
        <Text fw={700} visibleFrom="sm">
          onesixty
        </Text>
        <Text truncate title={account?.name}>
          {account?.name ?? accountId}
        </Text>
        {account?.state === 'suspended' ? <Badge color="orange">suspended</Badge> : null}
      </Group>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <SearchButton />
        <Available key={mode} />
        <SegmentedControl
          size="xs"
          miw="max-content"
          aria-label="Mode"
          value={mode}
          onChange={switchMode}
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
        />
        <UserMenu />
      </Group>
    </Flex>
  )
}
