import { randomBytes } from 'node:crypto'
import { readAccount } from '../../../accounts/core/accounts.ts'
import { issueLink, listInvitations, type OneTimeLink } from '../../../accounts/people/one-time-links.ts'
import { dayMs, rfc3339 } from '../../../runtime/clock.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import type { MailFate } from '../../../process/mailer.ts'
import { linkAddress } from '../../../process/own-address.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { UserContext } from '../core/call.ts'
import { takeOrRefuse } from '../../../runtime/sliding-count.ts'

/** A new invitation. The link is returned only once; anyone with the link can use it. */
export interface InvitationAnswer {
  link: string
  expiresAt: number
  /** Result of the mail with the link; null without a mail server. */
  mail: MailFate | null
}

/**
 * Recipient of an invitation, the account that it is for (null: an own account), and its description in the
 * mail.
 */
export type Invitation = { email: string; subject: string; purpose: string } & (
  | { accountId: string; role: 'owner' | 'member' }
  | { accountId: null; role: null }
)

/**
 * Creates an invitation, and mails its link if there is a mail server. A refused mail does not undo the
 * invitation.
 */
export async function invite(context: UserContext, wanted: Invitation): Promise<InvitationAnswer> {
  const { publicUrl, user } = context
  const { accountId, subject, purpose } = wanted
  const { token, link } = await (accountId === null
    ? issue(context, wanted)
    : issueWithinLimits(context, wanted, accountId))
  const address = linkAddress(publicUrl(), token)
  const fate = await mail(context, {
    to: link.email,
    subject,
    text: `${user.name} (${user.email}) invites you to ${purpose} at ${publicUrl()}.
Accept it here:

${address}

The link works once, until ${rfc3339(link.expiresAt)}.
`,
  })
  return { link: address, expiresAt: link.expiresAt, mail: fate }
}

const issue = (
  { writer, ids, clock, actor, config }: UserContext,
  { email, accountId, role }: Invitation,
  check: (tx: Tx, nowMs: number) => Promise<void> = async () => undefined,
): Promise<{ link: OneTimeLink; token: string }> =>
  writer.write(async (tx) => {
    const deps = { ids, nowMs: clock.now(), randomBytes }
    const lifeMs = config.invitationDays * dayMs
    const issued = await issueLink(tx, deps, { purpose: 'invitation', email, accountId, role, lifeMs, actor })
    await check(tx, deps.nowMs)
    return issued
  })

/**
 * Creates an invitation to an account. Each one mails an address of choice: refuses while the account has too
 * many open invitations, has created too many recently, or is suspended or closed.
 */
async function issueWithinLimits(
  context: UserContext,
  wanted: Invitation,
  accountId: string,
): Promise<{ link: OneTimeLink; token: string }> {
  const { invitationsByAccount } = context.ports.identity.limits
  const max = context.config.openInvitations
  takeOrRefuse(invitationsByAccount, accountId)
  try {
    return await issue(context, wanted, async (tx, nowMs) => {
      const { state } = await readAccount(tx, accountId)
      if (state === 'suspended') throw refuse('account_suspended')
      if (state === 'closed') throw refuse('not_permitted', { detail: 'The account is closed.' })
      const open = await listInvitations(tx, { accountId, nowMs, limit: max + 1 })
      if (open.length > max) throw tooManyOpen(max)
    })
  } catch (error) {
    // A refused invitation does not count.
    invitationsByAccount.giveBack(accountId)
    throw error
  }
}

const tooManyOpen = (max: number): Refusal =>
  refuse('rate_limited', {
    detail: `This account has ${max} open invitations, which is the limit. Revoke one, or wait until one was accepted or has expired.`,
  })

const mail = async (
  { ports }: UserContext,
  message: { to: string; subject: string; text: string },
): Promise<MailFate | null> => (await ports.identity.mailer?.send(message)) ?? null
