import type { EndedAlert } from './condition.ts'

/** Returns the subjects of ended alerts. */
export const subjectsOf = (ended: readonly EndedAlert[]): string[] => ended.map(({ subject }) => subject)

/** Returns the IDs of the alerts whose subject was found. */
export function idsAmong(
  ended: readonly EndedAlert[],
  found: readonly { id: string }[],
): ReadonlySet<string> {
  const subjects = new Set(found.map(({ id }) => id))
  return new Set(ended.filter(({ subject }) => subjects.has(subject)).map(({ id }) => id))
}
