import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { SearchButton } from './search-button.tsx'
import { SkipLink } from './skip-link.tsx'
import { UserMenu } from './user-menu.tsx'

/** The header of a page that belongs to no account: where one is, the search, and whose session this is. */
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
