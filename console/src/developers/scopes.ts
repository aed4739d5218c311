import type { Scope } from '../../../src/accounts/keys/api-keys.ts'

/** Labels of the scopes; the compiler reports a missing one. */
export const scopes: Readonly<Record<Scope, string>> = {
  'messages:send': 'Send messages',
  'messages:read': 'Read messages',
  'status:read': 'Read device status',
  'balance:read': 'Read balance',
}

export const everyScope = Object.keys(scopes) as Scope[]

/** Returns the input for a key to try the API with: all scopes, from any address. */
export const keyToTry = (name: string, expiresAt: number | null) => ({
  name,
  scopes: everyScope,
  addresses: [],
  dailyCap: null,
  expiresAt,
})
