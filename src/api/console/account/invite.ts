import { randomBytes } from 'node:crypto'
import { readAccount } from '../../../accounts/core/accounts.ts'
import { issueLink, listInvitations, type OneTimeLink } from '../../../accounts/people/one-time-links.ts'
import { dayMs, rfc3339 } from '../../../runtime/clock.ts'
import { type Refusal, refuse } from '../../../runtime/errors.ts'
import type { MailFate } from '../../../process/mailer.ts'
import { linkAddress } from '../../../process/own-address.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { UserContext } from '../core/call.ts'
import { takeOrRefuse } from '../core/identity-limits.ts'

/** An invitation that was just made. Its link is given this once; whoever has it can enter. */
export interface InvitationAnswer {
  link: string
  expiresAt: number
  /** What became of the mail with the link; null where no mail server is set. */
  mail: MailFate | null
}

/** Whom an invitation is to, what it lets into (null: an account of one's own), and how the mail calls that. */
export type Invitation = { email: string; subject: string; says: string } & (
  | { accountId: string; role: 'owner' | 'member' }
  | { accountId: null; role: null }
)

/** Makes an invitation, and mails its link where there is a mail server; that the mail was refused does not undo it. */
export async function invite(context: UserContext, wanted: Invitation): Promise<InvitationAnswer> {
  const { publicUrl, user } = context
  const { accountId, subject, says } = wanted
  const { token, link } = await (accountId === null
    ? issue(context, wanted)
    : issueWithinBounds(context, wanted, accountId))
  const address = linkAddress(publicUrl(), token)
  const fate = await mail(context, {
    to: link.email,
    subject,
    text: `${user.name} (${user.email}) invites you to ${says} at ${publicUrl()}.
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

/** Each is a mail to whomever somebody names: refuses while the account has too many open ones, or has made too many of late, or is suspended or closed. */
async function issueWithinBounds(
  context: UserContext,
  wanted: Invitation,
  accountId: string,
): Promise<{ link: OneTimeLink; token: string }> {
  const { invitationsByAccount } = context.ports.identity.limits
  const most = context.config.openInvitations
  takeOrRefuse(invitationsByAccount, accountId)
  try {
    return await issue(context, wanted, async (tx, nowMs) => {
      const { state } = await readAccount(tx, accountId)
      if (state === 'suspended') throw refuse('account_suspended')
      if (state === 'closed') throw refuse('not_permitted', { detail: 'The account is closed.' })
      const open = await listInvitations(tx, { accountId, nowMs, limit: most + 1 })
      if (open.length > most) throw tooManyOpen(most)
    })
  } catch (error) {
    // One that is refused does not count.
    invitationsByAccount.giveBack(accountId)
    throw error
  }
}

const tooManyOpen = (most: number): Refusal =>
  refuse('rate_limited', {
    detail: `${most} invitations to this account are open. Revoke one, or wait until one was accepted or has ended.`,
  })

const mail = async (
  { ports }: UserContext,
  letter: { to: string; subject: string; text: string },
): Promise<MailFate | null> => (await ports.identity.mailer?.send(letter)) ?? null
