import { issueLink } from '../accounts/one-time-links.ts'
import { hasPassword } from '../accounts/passwords.ts'
import { linkAddress, ownAddress } from '../own-address.ts'
import type { Tx } from '../storage/dialect.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

export interface PasswordLink {
  address: string
  purpose: 'set-up' | 'reset'
  expiresAt: number
}

/** A link for a user to choose the first password; null when there is one, unless it is to be replaced (`evenSo`). */
export async function issuePasswordLink(
  tx: Tx,
  deps: Pick<Toolbox, 'ids' | 'randomBytes' | 'config'> & { nowMs: number },
  userId: string,
  options: { evenSo: boolean } = { evenSo: false },
): Promise<PasswordLink | null> {
  const { config } = deps
  const known = await hasPassword(tx, userId)
  if (known && !options.evenSo) return null
  const purpose = known ? 'reset' : 'set-up'
  const lifeMs = (known ? config.resetLinkHours : config.setUpLinkHours) * 3_600_000
  const { token, link } = await issueLink(tx, deps, { purpose, userId, lifeMs, actor: cliActor })
  return { address: linkAddress(ownAddress(config), token), purpose, expiresAt: link.expiresAt }
}
