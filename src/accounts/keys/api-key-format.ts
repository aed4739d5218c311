import type { Mode } from '../../storage/tables/schema.ts'
import { hashOfToken, type MintedToken, mintToken } from './secret-token.ts'

const prefixes: Readonly<Record<Mode, string>> = { live: 'onesixty_live_', test: 'onesixty_test_' }

/**
 * Creates a key: a token that begins with `onesixty_live_` or `onesixty_test_`. `randomBytes` returns that
 * many random bytes.
 */
export const mintApiKey = (deps: { mode: Mode; randomBytes: (count: number) => Uint8Array }): MintedToken =>
  mintToken({ prefix: prefixes[deps.mode], randomBytes: deps.randomBytes })

/** Returns the mode and the SHA-256 of a key, or null if its form or its checksum is wrong. */
export function parseApiKey(token: string): { mode: Mode; hash: string } | null {
  const mode: Mode = token.startsWith(prefixes.live) ? 'live' : 'test'
  const hash = hashOfToken(prefixes[mode], token)
  return hash === null ? null : { mode, hash }
}
