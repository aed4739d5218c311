import { alertTexts } from './alert-texts.ts'
import type { DueMail } from './alert-mails.ts'
import { formatInstant } from './format-instant.ts'

/** The mail that tells of the begin or the end of an alert, as plain text. `publicUrl` is the address that people know the service by. */
export function renderMail(mail: DueMail, publicUrl: string): { to: string; subject: string; text: string } {
  const words = alertTexts[mail.kind]
  const name = oneLine(mail.name)
  const title = mail.phase === 'began' ? words.began(name) : (words.ended ?? words.began)(name)
  const lines = [
    `${title}.`,
    ...(mail.phase === 'began' ? ['', mail.said] : []),
    '',
    mail.phase === 'began'
      ? `Noticed at ${formatInstant(mail.beganAt)}.`
      : `It began at ${formatInstant(mail.beganAt)} and ended at ${formatInstant(mail.endedAt ?? mail.beganAt)}.`,
    ...(mail.accountName === null ? [] : [`Account: ${oneLine(mail.accountName)} (${mail.accountId ?? ''})`]),
    '',
    `See ${addressOf(mail, publicUrl)}`,
    `You choose what you are told of by mail at ${publicUrl}/profile`,
  ]
  return { to: mail.to, subject: `[onesixty] ${title}`, text: lines.map(folded).join('\n') }
}

const addressOf = ({ kind, accountId, mode }: DueMail, publicUrl: string): string =>
  accountId === null
    ? `${publicUrl}/operator/health`
    : `${publicUrl}/a/${accountId}/${mode ?? 'live'}${alertTexts[kind].page}`

/** A name that somebody gave must neither begin a line of its own nor fill a subject. */
const oneLine = (name: string): string => name.replace(/\s+/g, ' ').slice(0, 100)

/** Lines of at most 78 characters (RFC 5322, section 2.1.1), broken at spaces; an address stays whole. */
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
