import type { Filling } from '../declaration/filters.ts'
import { fillTemplate, parseTemplate, type Template } from '../declaration/template.ts'

/** Returns the value of a placeholder by its name. */
export type Read = (name: string) => Filling

/** How a tree is filled in: what names mean, and which of them are masked. */
export interface Filler {
  read: Read
  /** Marks secrets that are shown by their name. */
  isMasked: (name: string) => boolean
}

/** Returns a template filled in; null when its member is omitted. */
export const fillText = ({ read, isMasked }: Filler, text: string): Filling =>
  fillTemplate(parsed(text), read, { isMasked })

/** Fills in every text of a tree of JSON. Members and elements whose value is null are omitted. */
export function fillTree(filler: Filler, tree: unknown): unknown {
  if (typeof tree === 'string') return fillText(filler, tree)
  if (Array.isArray(tree))
    return tree.map((each) => fillMember(filler, each)).filter((each) => each !== omitted)
  if (typeof tree !== 'object' || tree === null) return tree
  const members = Object.entries(tree).map(([name, value]) => [name, fillMember(filler, value)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== omitted))
}

const omitted = Symbol('omitted')

/** A null that the declaration itself has is kept. */
function fillMember(filler: Filler, value: unknown): unknown {
  const filled = fillTree(filler, value)
  return filled === null && value !== null ? omitted : filled
}

/** Fills in the members of a query or a form, in their order; a list repeats its name. */
export function fillFlat(
  filler: Filler,
  members: Readonly<Record<string, string | readonly string[]>>,
): [name: string, value: string][] {
  return Object.entries(members).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((each): [string, string][] => {
      const filled = fillText(filler, each)
      return filled === null ? [] : [[name, String(filled)]]
    }),
  )
}

/** A declaration has at most a few hundred texts, and is filled in for each message. */
const maxParsed = 5_000
const known = new Map<string, Template>()

function parsed(text: string): Template {
  const before = known.get(text)
  if (before !== undefined) return before
  if (known.size >= maxParsed) known.clear()
  const template = parseTemplate(text)
  known.set(text, template)
  return template
}
