/** The test key of an account that was opened in this tab. It is shown this once and kept nowhere else: a reload forgets it. */
const keys = new Map<string, string>()

export const keepFirstKey = (accountId: string, key: string): void => void keys.set(accountId, key)
export const firstKeyOf = (accountId: string): string | null => keys.get(accountId) ?? null
