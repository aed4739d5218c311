/** Begins the name of everything that belongs to a draft, in the session storage of the browser. */
export const draftPrefix = 'draft:'

/** Removes all drafts of this tab: the next user must not see them. */
export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(draftPrefix)) sessionStorage.removeItem(name)
}

/** The members that are stored under a name, possibly by another version of the console; null when there are none. */
export function readDraft<T extends object>(name: string): Partial<T> | null {
  const stored = sessionStorage.getItem(name)
  return stored === null ? null : (JSON.parse(stored) as Partial<T>)
}

/** A storage that is full, or that the browser refuses, keeps no draft. */
export function storeDraft(name: string, value: object): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
  } catch {
    sessionStorage.removeItem(name)
  }
}
