import type { Config } from '../config.ts'
import type { Log } from './log.ts'

export interface Mail {
  to: string
  subject: string
  /** Plain text, lines at most 78 characters where that is possible. */
  text: string
}

/** What became of a mail. Unknown: the mail server may have taken it, for it was given the whole mail and was heard no more. */
export type MailFate = 'taken' | 'refused' | 'unknown'

/** Sends mails that let people in, or tell them of something. Null where no mail server is set. */
export interface Mailer {
  /** Gives what became of it; what went wrong is logged, without the text. */
  send(mail: Mail): Promise<MailFate>
}

/** A mail server that does not answer must not keep a person waiting for long. */
const timeoutMs = 10_000
/** From here on an answer says that the mail was not taken (RFC 5321, section 4.2.1). */
const firstRefusal = 400

/** Null where `ONESIXTY_SMTP_URL` is not set. */
export function createMailer(deps: {
  config: Pick<Config, 'smtpUrl' | 'mailFrom'>
  log: Pick<Log, 'error'>
  publicUrl: () => string
}): Mailer | null {
  const { smtpUrl, mailFrom } = deps.config
  if (smtpUrl === null) return null
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        url: smtpUrl,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        // Nothing of a mail is read from a file or an address.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      let isWhole = false
      // Nothing reads it before the mail server asks for it (354), and what follows its end is the dot by which the server takes it.
      transport.use('stream', ({ message }, next) => {
        message.processFunc((whole) => whole.once('end', () => (isWhole = true)))
        next()
      })
      const from = mailFrom ?? `onesixty <onesixty@${new URL(deps.publicUrl()).hostname}>`
      try {
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
        return 'taken'
      } catch (error) {
        const { responseCode = 0 } = error as { responseCode?: number }
        const isUnknown = isWhole && responseCode < firstRefusal
        deps.log.error(
          { err: error, subject },
          isUnknown ? 'the mail server did not say whether it took a mail' : 'a mail could not be sent',
        )
        return isUnknown ? 'unknown' : 'refused'
      } finally {
        transport.close()
      }
    },
  }
}
