import { Type } from 'typebox'
import { proveAddress } from '../../../accounts/people/address-proof.ts'
import { readEmailLink, takeEmailLink } from '../../../accounts/people/email-links.ts'
import { lockUser } from '../../../accounts/people/passwords.ts'
import { changeEmail } from '../../../accounts/people/users.ts'
import { refuse } from '../../../runtime/errors.ts'
import type { MailFate } from '../../../process/mailer.ts'
import { defineCall } from '../core/call.ts'
import { mailEmailChanged, mailEmailLink } from './confirm-email.ts'
import { rememberBrowser } from './known-browsers.ts'
import { takeOrRefuse } from '../../../runtime/sliding-count.ts'
import { closed } from '../../../runtime/schemas.ts'
import { writeSignedIn } from './session.ts'
import { ownCommandOverNetwork } from '../../../process/own-command.ts'

const token = Type.String({ maxLength: 100 })

export const emailCalls = {
  /** Mails the link that confirms the current address. It also cancels a requested change. */
  'email/send-link': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({}, closed),
    async handle(context): Promise<{ mail: MailFate }> {
      const { user, ports } = context
      takeOrRefuse(ports.identity.limits.emailLinksByUser, user.id)
      const mail = await mailEmailLink(context, { userId: user.id, email: user.email })
      if (mail === null) throw noMail()
      return { mail }
    },
  }),
  /**
   * Returns the address that a link confirms. A POST although it changes nothing, because the token must not
   * be in a URL.
   */
  'email/look': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ token }, closed),
    async handle({ read, clock, user }, given): Promise<{ email: string }> {
      const { email } = await readEmailLink(read, clock.now(), { userId: user.id, token: given.token })
      return { email }
    },
  }),
  /**
   * Redeems a link: its address becomes the current one, and is confirmed. Only for the signed-in user who
   * requested it, so that a user who opens a mail by mistake does not give their address away. Returns
   * whether this was the first confirmation, which ends second factor, passkeys and other sessions.
   */
  'email/confirm': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ token }, closed),
    async handle(context, given): Promise<{ email: string; isFirstProof: boolean }> {
      const { user, actor, sessionId, ids, clock } = context
      const userId = user.id
      const deps = { ids, nowMs: clock.now() }
      const confirmed = await writeSignedIn(context, async (tx) => {
        const { email } = await takeEmailLink(tx, deps, { userId, token: given.token })
        if (email !== user.email) await changeEmail(tx, deps, { userId, email, actor })
        const removed = await proveAddress(tx, deps, { userId, actor, keepSessionId: sessionId })
        return { email, isFirstProof: removed !== null, epoch: await lockUser(tx, userId) }
      })
      const { email, isFirstProof, epoch } = confirmed
      if (isFirstProof && epoch !== null) rememberBrowser(context, { userId, epoch })
      if (email !== user.email) mailEmailChanged(context, { from: user.email, to: email })
      return { email, isFirstProof }
    },
  }),
}

/** Without a mail server, only the operator can create a link. */
export const noMail = () =>
  refuse('not_permitted', {
    detail: `This server has no mail server, so the address cannot be confirmed here. Ask the operator for a link (${ownCommandOverNetwork()} user email-link).`,
  })
