import { alertTexts, formatInstant } from './alert-texts.ts'
import type { DueMail } from './alert-mails.ts'

/**
 * Renders the mail about the start or end of an alert as plain text. `publicUrl` is the public URL of the
 * service.
 */
export function renderMail(mail: DueMail, publicUrl: string): { to: string; subject: string; text: string } {
  const texts = alertTexts[mail.kind]
  const name = oneLine(mail.name)
  const title = mail.phase === 'began' ? texts.began(name) : (texts.ended ?? texts.began)(name)
  const lines = [
    `${title}.`,
    ...(mail.phase === 'began' ? ['', mail.said] : []),
    '',
    mail.phase === 'began'
      ? `Detected at ${formatInstant(mail.beganAt)}.`
      : `Started at ${formatInstant(mail.beganAt)}, ended at ${formatInstant(mail.endedAt ?? mail.beganAt)}.`,
    ...(mail.accountName === null ? [] : [`Account: ${oneLine(mail.accountName)} (${mail.accountId ?? ''})`]),
    '',
    `Details: ${addressOf(mail, publicUrl)}`,
    `Manage your e-mail notifications: ${publicUrl}/profile`,
  ]
  return { to: mail.to, subject: `[onesixty] ${title}`, text: lines.map(folded).join('\n') }
}

const addressOf = ({ kind, subject, accountId, mode }: DueMail, publicUrl: string): string =>
  accountId === null
    ? `${publicUrl}/operator/health`
    : `${publicUrl}/a/${accountId}/${mode ?? 'live'}${pageOf(kind, subject)}`

/** A balance is that of an account, or of a device at its messaging service. */
const pageOf = (kind: DueMail['kind'], subject: string): string =>
  subject.startsWith('dev_') ? '/devices' : alertTexts[kind].page

/** Makes a name safe for a mail: it must not begin a line of its own, nor fill a subject. */
const oneLine = (name: string): string => name.replace(/\s+/g, ' ').slice(0, 100)

/** Folds to lines of at most 78 characters (RFC 5322, section 2.1.1), broken at spaces; a URL stays whole. */
function folded(line: string): string {
  const out: string[] = ['']
  for (const word of line.split(' ')) {
    const last = out.at(-1) as string
    if (last === '') out[out.length - 1] = word
    else if (last.length + 1 + word.length <= 78) out[out.length - 1] = `${last} ${word}`
    else out.push(word)
  }
  return out.join('\n')
}
