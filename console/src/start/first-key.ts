/** The test key of an account that was created in this tab. It is kept only in memory: a reload removes it. */
const keys = new Map<string, string>()

export const keepFirstKey = (accountId: string, key: string): void => void keys.set(accountId, key)
export const firstKeyOf = (accountId: string): string | null => keys.get(accountId) ?? null
