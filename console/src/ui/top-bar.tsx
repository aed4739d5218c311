import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { SearchButton } from './search-button.tsx'
import { SkipLink } from './skip-link.tsx'
import { UserMenu } from './user-menu.tsx'

/** Header of pages outside of an account: location, search, user menu. */
export function TopBar({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <Box
        component="header"
        px="md"
        py="xs"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <Group justify="space-between">
          {children}
          <Group gap="xs">
            <SearchButton />
            <UserMenu />
          </Group>
        </Group>
      </Box>
    </>
  )
}
