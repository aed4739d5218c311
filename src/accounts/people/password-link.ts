import { hourMs } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import { linkAddress } from '../../process/own-address.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import type { AccountDeps } from '../core/accounts.ts'
import { issueLink } from './one-time-links.ts'
import { hasPassword } from './passwords.ts'

export interface PasswordLink {
  address: string
  purpose: 'set-up' | 'reset'
  expiresAt: number
}

/**
 * Issues a link for a user to choose the first password; returns null if there is a password, unless it is to
 * be replaced (`evenSo`). `publicUrl` is the public address of the server.
 */
export async function issuePasswordLink(
  tx: Tx,
  deps: AccountDeps & {
    randomBytes: (count: number) => Uint8Array
    config: Pick<Config, 'resetLinkHours' | 'setUpLinkHours'>
    publicUrl: string
  },
  { userId, evenSo, actor }: { userId: string; evenSo: boolean; actor: string },
): Promise<PasswordLink | null> {
  const { config, publicUrl } = deps
  const known = await hasPassword(tx, userId)
  if (known && !evenSo) return null
  const purpose = known ? 'reset' : 'set-up'
  const lifeMs = (known ? config.resetLinkHours : config.setUpLinkHours) * hourMs
  const { token, link } = await issueLink(tx, deps, { purpose, userId, lifeMs, actor })
  return { address: linkAddress(publicUrl, token), purpose, expiresAt: link.expiresAt }
}
