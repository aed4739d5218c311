import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { hourMs } from '../../../runtime/clock.ts'
import { placeholderEmail } from '../../../accounts/core/accounts.ts'
import { issueLink } from '../../../accounts/people/one-time-links.ts'
import { linkAddress } from '../../../process/own-address.ts'
import { type CallContext, defineCall } from '../core/call.ts'
import { takePlaceOrRefuse, takeReset } from '../core/identity-limits.ts'
import { knownBrowser } from './known-browsers.ts'

export const resetCalls = {
  /**
   * Mails a link that resets a lost password. Earlier links stay valid: anyone can request one, and must not
   * invalidate the link that a user is about to open. The response, and its time, are the same whether or not
   * the address belongs to a user. Without a mail server only the operator can create such a link.
   */
  'reset/ask': defineCall({
    kind: 'change',
    access: 'anyone',
    input: Type.Object({ email: Type.String({ maxLength: 254 }) }, { additionalProperties: false }),
    async handle(context, given): Promise<{ mails: boolean }> {
      const { mailer, limits } = context.ports.identity
      const email = given.email.trim().toLowerCase()
      const browser = await knownBrowser(context, { email })
      if (browser === null) takePlaceOrRefuse(limits.resetByNetwork, context.address)
      if (mailer === null) return { mails: false }
      takeReset(limits, { address: context.address, email, browser })
      // Not awaited: the time of the mail server would reveal that a mail was sent.
      void mailReset(context, email).catch((error: unknown) =>
        context.log.error(
          { request: context.requestId, err: error },
          'failed to create or mail a reset link',
        ),
      )
      return { mails: true }
    },
  }),
}

async function mailReset(context: CallContext, email: string): Promise<void> {
  const { read, writer, ids, clock, config, ports, publicUrl } = context
  const user = await read.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (user === undefined || email === placeholderEmail) return
  const { token } = await writer.write((tx) =>
    issueLink(
      tx,
      { ids, nowMs: clock.now(), randomBytes },
      {
        purpose: 'reset',
        keepsEarlier: true,
        userId: user.id,
        lifeMs: config.resetLinkHours * hourMs,
        actor: 'console',
      },
    ),
  )
  await ports.identity.mailer?.send({
    to: email,
    subject: 'Reset your password for onesixty',
    text: `We received a request to reset the password for
${email} at ${publicUrl()}.
Use this link to choose a new one:

${linkAddress(publicUrl(), token)}

The link works once, for ${config.resetLinkHours} hours. If it was not you, ignore this mail:
the password does not change.
`,
  })
}
