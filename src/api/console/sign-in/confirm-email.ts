import { randomBytes } from 'node:crypto'
import { placeholderEmail } from '../../../accounts/core/accounts.ts'
import { issueEmailLink } from '../../../accounts/people/email-links.ts'
import { hourMs, rfc3339 } from '../../../runtime/clock.ts'
import type { MailFate } from '../../../process/mailer.ts'
import { emailLinkAddress } from '../../../process/own-address.ts'
import type { CallContext } from '../core/call.ts'

/**
 * Creates a link that confirms an e-mail address, and mails it there. Null without a mail server: then there
 * is no link.
 */
export async function mailEmailLink(
  context: CallContext,
  { userId, email }: { userId: string; email: string },
): Promise<MailFate | null> {
  const { writer, ids, clock, config, ports, publicUrl } = context
  const { mailer } = ports.identity
  if (mailer === null || email === placeholderEmail) return null
  const deps = { ids, nowMs: clock.now(), randomBytes }
  const lifeMs = config.resetLinkHours * hourMs
  const { token, expiresAt } = await writer.write((tx) =>
    issueEmailLink(tx, deps, { userId, email, lifeMs, actor: userId }),
  )
  // The text contains nothing chosen by the requesting user, because the address may belong to another
  // person.
  return mailer.send({
    to: email,
    subject: 'Confirm your e-mail address for onesixty',
    text: `A user of ${publicUrl()} gave this e-mail address.
If it was you, open this link in a browser where you are signed in:

${emailLinkAddress(publicUrl(), token)}

The link works once, until ${rfc3339(expiresAt)}. If it was not you,
ignore this mail: the address is not confirmed without the link.
`,
  })
}

/** Mails the link to the address of a new user. Not awaited: a failure locks no user out. */
export const mailFirstEmailLink = (context: CallContext, person: { userId: string; email: string }): void =>
  afterResponse(context, mailEmailLink(context, person), 'failed to send the link that confirms an address')

interface Change {
  from: string
  to: string
}

/** Notifies the current address of a requested change, so that its owner can stop it. Not awaited. */
export const mailEmailAsked = (context: CallContext, { from, to }: Change): void =>
  notifyFormer(context, from, {
    subject: 'Your e-mail address for onesixty is about to change',
    text: `Someone who is signed in as ${from}
at ${context.publicUrl()} asked to change this e-mail address to
${to}.

Nothing changes until the new address is confirmed. If it was not you,
choose a new password now, which cancels the change and ends all sessions:
${context.publicUrl()}/reset
`,
  })

/** Notifies the former address that it is no longer used. Not awaited. */
export const mailEmailChanged = (context: CallContext, { from, to }: Change): void =>
  notifyFormer(context, from, {
    subject: 'Your e-mail address for onesixty was changed',
    text: `The user who signed in as ${from}
at ${context.publicUrl()} now signs in as
${to}.

If it was not you, ask the operator of this service for help.
`,
  })

/** Sends no mail to the placeholder address of a first user. */
function notifyFormer(context: CallContext, to: string, mail: { subject: string; text: string }): void {
  const { mailer } = context.ports.identity
  if (mailer === null || to === placeholderEmail) return
  afterResponse(context, mailer.send({ to, ...mail }), 'failed to notify an e-mail address of its change')
}

/** Runs a mail that the response does not wait for; a failure is logged. */
const afterResponse = ({ log, requestId }: CallContext, mailed: Promise<unknown>, failure: string): void =>
  void mailed.catch((error: unknown) => log.error({ request: requestId, err: error }, failure))
