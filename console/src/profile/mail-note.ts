import type { MailFate } from '../../../src/process/mailer.ts'

/** Returns the notification after a mail with a link: what to do next. */
export function mailNote({ email, mail }: { email: string; mail: MailFate }): {
  color: string
  message: string
} {
  if (mail === 'taken') return { color: 'teal', message: `Check the inbox of ${email} for the link.` }
  return mail === 'refused'
    ? {
        color: 'red',
        message: `The mail server rejected the mail to ${email}. Check the address, then request another link.`,
      }
    : {
        color: 'yellow',
        message: `The mail server did not confirm the mail to ${email}. If no link arrives, request another one.`,
      }
}
