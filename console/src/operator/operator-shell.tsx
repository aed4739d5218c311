import { Anchor, Container, Group, Text } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { TopBar } from '../ui/top-bar.tsx'

const pages = [
  { label: 'Accounts', to: '/operator' },
  { label: 'Rules', to: '/operator/rules' },
  { label: 'Health', to: '/operator/health' },
  { label: 'API tokens', to: '/operator/tokens' },
  { label: 'Audit log', to: '/operator/audit' },
] as const

/** Renders the frame of the pages of the instance. */
export function OperatorShell() {
  return (
    <>
      <TopBar>
        <Group gap="lg">
          <Text fw={700}>onesixty · instance</Text>
          <Group component="nav" gap="md" aria-label="Pages of the instance">
            {pages.map(({ label, to }) => (
              <Anchor
                key={to}
                component={Link}
                to={to}
                size="sm"
                c="inherit"
                underline="hover"
                activeOptions={{ exact: true }}
                activeProps={{
                  'aria-current': 'page',
                  style: { fontWeight: 700, textDecoration: 'underline' },
                }}
              >
                {label}
              </Anchor>
            ))}
          </Group>
        </Group>
      </TopBar>
      <Container component="main" id="content" size="xl" py="md">
        <Outlet />
      </Container>
    </>
  )
}
