import type { Scope } from '../../../src/accounts/keys/api-keys.ts'

/** What a key may do, in words; one that the server adds is missed here by the compiler. */
export const scopes: Readonly<Record<Scope, string>> = {
  'messages:send': 'Send messages',
  'messages:read': 'Read the history',
  'status:read': 'Read the status of the device',
  'balance:read': 'Read the balance',
}

export const everyScope = Object.keys(scopes) as Scope[]

/** A key for a person who tries something out: it may do everything, from anywhere. */
export const keyToTry = (name: string, expiresAt: number | null) => ({
  name,
  scopes: everyScope,
  addresses: [],
  dailyCap: null,
  expiresAt,
})
