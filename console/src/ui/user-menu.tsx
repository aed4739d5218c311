import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { sessionQuery } from '../api/session.ts'

const loadMenu = () => import('./user-menu-open.tsx')
/** Menus and what places them are 27 KB (compressed) that no first load needs. */
const UserMenuOpen = lazy(async () => ({ default: (await loadMenu()).UserMenuOpen }))

/** Whose session this is; pressing it opens the person's other accounts, and the way out. */
export function UserMenu() {
  const { data } = useQuery(sessionQuery)
  const [isWanted, setWanted] = useState(false)
  const name = data?.user?.name ?? '…'
  const closed = (
    <Button
      variant="default"
      size="xs"
      aria-label={`${name}: accounts and sign-out`}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onMouseEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
    >
      {name}
    </Button>
  )
  return isWanted ? (
    <Suspense fallback={closed}>
      <UserMenuOpen name={name} />
    </Suspense>
  ) : (
    closed
  )
}
