/** Begins the name of everything that belongs to a draft, in the session storage of the browser. */
export const draftPrefix = 'draft:'

/** Removes all drafts of this tab: the next user must not see them. */
export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(draftPrefix)) sessionStorage.removeItem(name)
}

/** What is stored under a name, as JSON, or null. */
export const readDraft = (name: string): string | null => sessionStorage.getItem(name)

/** A storage that is full, or that the browser refuses, keeps no draft. */
export function storeDraft(name: string, json: string): void {
  try {
    sessionStorage.setItem(name, json)
  } catch {
    sessionStorage.removeItem(name)
  }
}
