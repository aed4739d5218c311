import { Button, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'

/** One item of a menu: a link or an action. */
export type MenuLine = { label: string; color?: string } & ({ to: string } | { run: () => void })

export interface MenuProperties {
  label: string
  /** Accessible name, where the label does not describe the menu. */
  description?: string
  size?: 'xs' | 'compact-xs'
  /** Shown above the items. */
  heading?: string
  /** Sections are separated by a divider. */
  sections: readonly (readonly MenuLine[])[]
}

/** Truncates a long name before it displaces its neighbours. */
export const narrow = { miw: 0, maw: 220 } as const

const loadMenu = () => import('./open-menu.tsx')
/** Menus and their positioning are 27 KB (compressed) that no first load needs. */
const OpenMenu = lazyPart(async () => (await loadMenu()).OpenMenu)

/** Renders a button that opens a menu. */
export function MenuButton(properties: MenuProperties) {
  const { label, description, size = 'xs' } = properties
  const [isWanted, setWanted] = useState(false)
  const closed = (
    <Button
      {...narrow}
      variant="default"
      size={size}
      aria-label={description}
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
