import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'

/** One line of a menu: it leads somewhere, or does something. */
export type MenuLine = { label: string; color?: string } & ({ to: string } | { run: () => void })

export interface MenuProperties {
  label: string
  /** Said in the place of the label where that alone would not tell what the menu is about. */
  says?: string
  size?: 'xs' | 'compact-xs'
  /** Stands over the lines. */
  heading?: string
  /** A rule stands between two sections. */
  sections: readonly (readonly MenuLine[])[]
}

const loadMenu = () => import('./open-menu.tsx')
/** Menus and what places them are 27 KB (compressed) that no first load needs. */
const OpenMenu = lazy(async () => ({ default: (await loadMenu()).OpenMenu }))

/** A button that opens a menu. */
export function MenuButton(properties: MenuProperties) {
  const { label, says, size = 'xs' } = properties
  const [isWanted, setWanted] = useState(false)
  const closed = (
    <Button
      variant="default"
      size={size}
      aria-label={says}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onMouseEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
    >
      {label}
    </Button>
  )
  return isWanted ? (
    <Suspense fallback={closed}>
      <OpenMenu {...properties} />
    </Suspense>
  ) : (
    closed
  )
}
