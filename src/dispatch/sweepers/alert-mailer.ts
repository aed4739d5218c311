import { claimMails, type DueMail, hasDueMails, settleMails } from '../../alerts/alert-mails.ts'
import { renderMail } from '../../alerts/render-mail.ts'
import { minuteMs } from '../../runtime/clock.ts'
import type { Mailer, MailFate } from '../../process/mailer.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

export interface AlertMailerDeps extends SweeperDeps {
  read: Db
  writer: Writer
  /** Null where no mail server is set. */
  mailer: Mailer | null
  publicUrl: () => string
}

/** Two mails a second at most: a thousand low balances at once are no flood for the mail server. */
const intervalMs = 5_000
const atOnce = 10
/** How long until the next try, in minutes; after the last one it is given up, a day late. */
const retryMinutes = [1, 5, 30, 120, 360, 960]

/** Sends the mails of alerts, each until the mail server has taken it: once, but again where it is not known whether it has. */
export function createAlertMailer(deps: AlertMailerDeps): Sweeper {
  const { read, writer, clock, mailer, log } = deps
  async function sweep(): Promise<boolean> {
    if (mailer === null || !(await hasDueMails(read, clock.now()))) return false
    const mails = await writer.write((tx) => claimMails(tx, { nowMs: clock.now(), limit: atOnce }))
    // At the same time, so that a mail server that does not answer keeps a stop no longer than one mail would.
    await Promise.all(mails.map((mail) => send(mailer, mail)))
    return false
  }
  async function send(by: Mailer, mail: DueMail): Promise<void> {
    const fate = await by.send(renderMail(mail, deps.publicUrl()))
    const settled = settle(mail, fate, clock.now())
    await writer.write((tx) => settleMails(tx, [settled]))
    if (fate !== 'taken' && settled.doneAt !== null)
      log.error({ alert: mail.kind, user: mail.userId }, 'a mail of an alert was given up')
  }
  return new Sweeper(deps, { name: 'alert-mailer', intervalMs, sweep })
}

function settle(mail: DueMail, fate: MailFate, nowMs: number): Parameters<typeof settleMails>[1][number] {
  const isTaken = fate === 'taken'
  const retryMs = (retryMinutes[mail.tries - 1] ?? 0) * minuteMs
  const isOver = isTaken || retryMs === 0
  const tries = isOver && !isTaken ? 0 : mail.tries
  const mayBeTold = mail.mayBeTold || fate === 'unknown'
  return { ...mail, tries, mayBeTold, doneAt: isOver ? nowMs : null, dueAt: nowMs + retryMs }
}
