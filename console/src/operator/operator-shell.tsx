import { Anchor, Container, Group, Text } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { TopBar } from '../ui/top-bar.tsx'

const pages = [
  { label: 'Accounts', to: '/operator' },
  { label: 'Health', to: '/operator/health' },
  { label: 'Programs', to: '/operator/tokens' },
  { label: 'Audit log', to: '/operator/audit' },
] as const

/** The frame of the operator's pages. */
export function OperatorShell() {
  return (
    <>
      <TopBar>
        <Group gap="lg">
          <Text fw={700}>onesixty · operator</Text>
          <Group component="nav" gap="md" aria-label="Pages of the operator">
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
