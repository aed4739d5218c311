import type { Page } from '../pages.ts'

/** In the order in which they are shown: what is surely meant first, words that may be a text last. */
export const groups = ['Found', 'Pages', 'Actions', 'Texts'] as const
type Group = (typeof groups)[number]

/** One line of the palette. */
export interface Entry {
  id: string
  group: Group
  label: string
  says: string
  /** Words by which it is found too. */
  words?: string
  run: () => void
}

/** The entries that fit what was typed: all of its words occur, those whose label begins so stand first. */
export function findEntries(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ label }: Entry): number => {
    const name = label.toLowerCase()
    return name.startsWith(words.join(' ')) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2
  }
  return entries
    .filter(({ label, says, words: more = '' }) => {
      const text = `${label} ${says} ${more}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((one, other) => rank(one) - rank(other))
}

/** The pages of an account as entries. */
export const pageEntries = (pages: readonly Page[], go: (path: string) => void): Entry[] =>
  pages.map(({ label, path, says }) => ({
    id: `page${path}`,
    group: 'Pages',
    label,
    says,
    run: () => go(path),
  }))
