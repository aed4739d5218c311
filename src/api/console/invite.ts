import { randomBytes } from 'node:crypto'
import { issueLink } from '../../accounts/one-time-links.ts'
import { dayMs, rfc3339 } from '../../clock.ts'
import { linkAddress } from '../../own-address.ts'
import type { UserContext } from './call.ts'

/** An invitation that was just made. Its link is given this once; whoever has it can enter. */
export interface InvitationAnswer {
  link: string
  expiresAt: number
  /** Whether the mail server took a mail with the link. */
  isMailed: boolean
}

/** Whom an invitation is to, what it lets into (null: an account of one's own), and how the mail calls that. */
export type Invitation = { email: string; subject: string; says: string } & (
  | { accountId: string; role: 'owner' | 'member' }
  | { accountId: null; role: null }
)

/** Makes an invitation, and mails its link where there is a mail server; that the mail was refused does not undo it. */
export async function invite(context: UserContext, wanted: Invitation): Promise<InvitationAnswer> {
  const { writer, ids, clock, actor, config, publicUrl, user } = context
  const { email, accountId, role, subject, says } = wanted
  const { token, link } = await writer.write((tx) =>
    issueLink(
      tx,
      { ids, nowMs: clock.now(), randomBytes },
      { purpose: 'invitation', email, accountId, role, lifeMs: config.invitationDays * dayMs, actor },
    ),
  )
  const address = linkAddress(publicUrl(), token)
  const isMailed = await mail(context, {
    to: link.email,
    subject,
    text: `${user.name} (${user.email}) invites you to ${says} at ${publicUrl()}.
Accept it here:

${address}

The link works once, until ${rfc3339(link.expiresAt)}.
`,
  })
  return { link: address, expiresAt: link.expiresAt, isMailed }
}

const mail = async (
  { ports }: UserContext,
  letter: { to: string; subject: string; text: string },
): Promise<boolean> => (await ports.identity.mailer?.send(letter)) ?? false
