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
  /** Null without a mail server. */
  mailer: Mailer | null
  publicUrl: () => string
}

/** At most two mails per second: a thousand low balances at the same time must not flood the mail server. */
const intervalMs = 5_000
const atOnce = 10
/** Delay before the next attempt, in minutes; after the last one the mail fails permanently, a day late. */
const retryMinutes = [1, 5, 30, 120, 360, 960]

/**
 * Sends the mails of alerts, each until the mail server has accepted it: once, but again if it is unknown
 * whether it was accepted.
 */
export function createAlertMailer(deps: AlertMailerDeps): Sweeper {
  const { read, writer, clock, mailer, log } = deps
  async function sweep(): Promise<boolean> {
    if (mailer === null || !(await hasDueMails(read, clock.now()))) return false
    const mails = await writer.write((tx) => claimMails(tx, { nowMs: clock.now(), limit: atOnce }))
    // In parallel, so that a mail server that does not respond delays a stop no longer than one mail would.
    await Promise.all(mails.map((mail) => send(mailer, mail)))
    return false
  }
  async function send(by: Mailer, mail: DueMail): Promise<void> {
    const fate = await by.send(renderMail(mail, deps.publicUrl()))
    const settled = settle(mail, fate, clock.now())
    await writer.write((tx) => settleMails(tx, [settled]))
    if (fate !== 'taken' && settled.doneAt !== null)
      log.error({ alert: mail.kind, user: mail.userId }, 'a mail of an alert failed permanently')
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
