import type { Page } from '../pages.ts'

/** In the order in which they are shown: exact matches first, a search for a text last. */
export const groups = ['Messages', 'Pages', 'Actions', 'Message texts'] as const
type Group = (typeof groups)[number]

/** One entry of the palette. */
export interface Entry {
  id: string
  group: Group
  label: string
  description: string
  /** Further words that match it. */
  words?: string
  run: () => void
}

/** Returns the entries that contain all typed words; those whose label starts with them come first. */
export function findEntries(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ label }: Entry): number => {
    const name = label.toLowerCase()
    return name.startsWith(words.join(' ')) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2
  }
  return entries
    .filter(({ label, description, words: more = '' }) => {
      const text = `${label} ${description} ${more}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((one, other) => rank(one) - rank(other))
}

/** Returns the pages of an account as entries. */
export const pageEntries = (pages: readonly Page[], go: (path: string) => void): Entry[] =>
  pages.map(({ label, path, description }) => ({
    id: `page${path}`,
    group: 'Pages',
    label,
    description,
    run: () => go(path),
  }))
