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
   * Mails a link that replaces a lost password, beside those that were mailed before: anybody can ask, and must not end the link that a person is about
   * to open. The answer is the same, and as quick, whether anybody has the address; without a mail
   * server only the operator can make such a link.
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
      // Not waited for: how long a mail server takes would tell that there was a mail.
      void mailReset(context, email).catch((error: unknown) =>
        context.log.error({ request: context.requestId, err: error }, 'a reset link could not be made'),
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
    subject: 'A new password for onesixty',
    text: `Somebody, probably you, has lost the password of ${email}
at ${publicUrl()}. With this link you choose a new one:

${linkAddress(publicUrl(), token)}

It works once, for ${config.resetLinkHours} hours. If it was not you, do nothing: the
password stays as it is.
`,
  })
}
