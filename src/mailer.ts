import type { Config } from './config.ts'
import type { Log } from './log.ts'

export interface Mail {
  to: string
  subject: string
  /** Plain text, lines at most 78 characters where that is possible. */
  text: string
}

/** Sends mails that let people in, or tell them of something. Null where no mail server is set. */
export interface Mailer {
  /** Gives whether the mail server took it; what went wrong is logged, without the text. */
  send(mail: Mail): Promise<boolean>
}

/** A mail server that does not answer must not keep a person waiting for long. */
const timeoutMs = 10_000

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
      const from = mailFrom ?? `onesixty <onesixty@${new URL(deps.publicUrl()).hostname}>`
      try {
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
        return true
      } catch (error) {
        deps.log.error({ err: error, subject }, 'a mail could not be sent')
        return false
      } finally {
        transport.close()
      }
    },
  }
}
