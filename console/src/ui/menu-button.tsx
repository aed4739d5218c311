import { Button, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'

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

/** A long name is cut off before it takes the room of what stands beside it. */
export const narrow = { miw: 0, maw: 220 } as const

const loadMenu = () => import('./open-menu.tsx')
/** Menus and what places them are 27 KB (compressed) that no first load needs. */
const OpenMenu = lazyPart(async () => (await loadMenu()).OpenMenu)

/** A button that opens a menu. */
export function MenuButton(properties: MenuProperties) {
  const { label, says, size = 'xs' } = properties
  const [isWanted, setWanted] = useState(false)
  const closed = (
    <Button
      {...narrow}
      variant="default"
      size={size}
      aria-label={says}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
      onMouseEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
    >
      <Text span inherit truncate>
        {label}
      </Text>
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
