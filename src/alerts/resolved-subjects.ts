import type { EndedAlert } from './condition.ts'

/** What alerts that end are about. */
export const subjectsOf = (ended: readonly EndedAlert[]): string[] => ended.map(({ subject }) => subject)

/** The alerts about what was found. */
export function idsAmong(
  ended: readonly EndedAlert[],
  found: readonly { id: string }[],
): ReadonlySet<string> {
  const subjects = new Set(found.map(({ id }) => id))
  return new Set(ended.filter(({ subject }) => subjects.has(subject)).map(({ id }) => id))
}
