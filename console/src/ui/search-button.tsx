import { Button, Text, VisuallyHidden } from '@mantine/core'
import { askFor, paletteKey } from './keys.ts'

/** Opens the palette without its shortcut; only an icon on narrow screens. */
export function SearchButton() {
  return (
    <Button
      variant="default"
      size="xs"
      px={{ base: 7, sm: 'sm' }}
      miw="max-content"
      aria-haspopup="dialog"
      onPointerEnter={() => void import('./palette.tsx')}
      onClick={() => askFor('palette')}
    >
      <SearchIcon />
      <VisuallyHidden hiddenFrom="sm">Search</VisuallyHidden>
      <Text span inherit visibleFrom="sm" ml={6} fw={400}>
        Search…
      </Text>{' '}
      <Text span inherit visibleFrom="sm" ml="lg" c="dimmed" fw={400}>
        {paletteKey}
      </Text>
    </Button>
  )
}

const SearchIcon = () => (
  <svg
    viewBox="0 0 16 16"
    width={14}
    height={14}
    fill="none"
    stroke="currentColor"
    strokeWidth={2}
    aria-hidden
  >
    <circle cx={7} cy={7} r={5} />
    <path d="M11 11l4 4" strokeLinecap="round" />
  </svg>
)
