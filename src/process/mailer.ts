import type { Config } from '../config.ts'
import type { Log } from './log.ts'

export interface Mail {
  to: string
  subject: string
  /** Plain text, lines at most 78 characters where that is possible. */
  text: string
}

/**
 * Result of sending a mail. `unknown`: the whole mail was transmitted, but no response arrived, so the mail
 * server may have accepted it.
 */
export type MailFate = 'taken' | 'refused' | 'unknown'

/** Sends mails with links and notifications. Null if no mail server is set. */
export interface Mailer {
  /** Returns the result. A failure is logged, without the text. */
  send(mail: Mail): Promise<MailFate>
}

/** A mail server that does not respond must not keep a user waiting for long. */
const timeoutMs = 10_000
/** Response codes from here on mean that the mail was rejected (RFC 5321, section 4.2.1). */
const firstRefusal = 400

/** Returns null if `ONESIXTY_SMTP_URL` is not set. */
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
        // No part of a mail is read from a file or a URL.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      let isWhole = false
      // The stream is read only after the mail server requests it (354). Its end is followed by the dot with
      // which the server accepts the mail.
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
          isUnknown ? 'the mail server did not confirm a mail' : 'a mail could not be sent',
        )
        return isUnknown ? 'unknown' : 'refused'
      } finally {
        transport.close()
      }
    },
  }
}
