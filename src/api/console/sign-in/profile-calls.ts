import { Type } from 'typebox'
import { readMutes, writeMutes } from '../../../alerts/alert-mutes.ts'
import { alertKinds, alertTexts } from '../../../alerts/alert-texts.ts'
import { emailFaults } from '../../../accounts/core/accounts.ts'
import { pendingEmail } from '../../../accounts/people/email-links.ts'
import { type ListedPasskey, listPasskeys } from '../../../accounts/people/passkeys.ts'
import { lockUser, setPassword } from '../../../accounts/people/passwords.ts'
import { refuseTaken, renameUser } from '../../../accounts/people/users.ts'
import { invalidInput, nameFaults } from '../../../runtime/invalid-input.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { MailFate } from '../../../process/mailer.ts'
import type { AlertKind } from '../../../storage/tables/operator-tables.ts'
import { appendAudit } from '../../../storage/seam/audit-log.ts'
import { defineCall, type UserContext } from '../core/call.ts'
import { mailEmailAsked, mailEmailLink } from './confirm-email.ts'
import { rememberBrowser } from './known-browsers.ts'
import { noMail } from './email-calls.ts'
import { takeEmailLink } from '../core/identity-limits.ts'
import { passkeyPlace } from './passkey-place.ts'
import { confirmPassword, hashNewPassword } from './check-password.ts'
import { writeSignedIn } from './session.ts'
import { listSessions, type ListedSession } from './session-list.ts'

export interface ProfileAnswer {
  name: string
  email: string
  /** True when a link sent to an address of the user was opened. */
  isEmailProven: boolean
  /** Requested e-mail address that is not confirmed yet; null without one. */
  pendingEmail: string | null
  hasSecondFactor: boolean
  passkeys: ListedPasskey[]
  /** The only origin at which passkeys work; null where browsers do not support them. */
  passkeyOrigin: string | null
  sessions: ListedSession[]
  /** Alert kinds, and whether the user receives mails about them. */
  alerts: { kind: AlertKind; label: string; isOn: boolean }[]
  /** True when this instance has a mail server. */
  sendsMail: boolean
}

const password = Type.String({ maxLength: 1_000 })

export const profileCalls = {
  'profile/read': defineCall({
    kind: 'read',
    access: 'user',
    input: Type.Object({}, closed),
    async handle(context): Promise<ProfileAnswer> {
      const { user, read, clock } = context
      const known = await read
        .selectFrom('users')
        .leftJoin('auth_users', 'auth_users.id', 'users.id')
        .select(['email_proven_at', 'twoFactorEnabled'])
        .where('users.id', '=', user.id)
        .executeTakeFirst()
      const pending = await pendingEmail(read, user.id, clock.now())
      return {
        name: user.name,
        email: user.email,
        isEmailProven: typeof known?.email_proven_at === 'number',
        pendingEmail: pending === user.email ? null : pending,
        hasSecondFactor: known?.twoFactorEnabled === 1,
        passkeys: await listPasskeys(read, user.id),
        passkeyOrigin: passkeyPlace(context.publicUrl())?.origin ?? null,
        sessions: await listSessions(context),
        alerts: await listAlerts(context),
        sendsMail: context.config.smtpUrl !== null,
      }
    },
  }),
  /**
   * Changes the name. With the password, requests another e-mail address, which becomes current when the
   * mailed link is opened.
   */
  'profile/change': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        email: Type.String({ maxLength: 254 }),
        password: Type.Optional(password),
      },
      closed,
    ),
    async handle(context, given): Promise<{ confirms: { email: string; mail: MailFate } | null }> {
      const { user, writer, ids, clock, actor } = context
      const { name, email } = { name: given.name.trim(), email: given.email.trim().toLowerCase() }
      const movesEmail = email !== user.email
      const faults = [...nameFaults(name), ...(movesEmail ? emailFaults(email) : [])]
      if (faults.length > 0) throw invalidInput(faults)
      if (movesEmail) await admitEmail(context, { email, password: given.password ?? '' })
      if (name !== user.name)
        await writer.write((tx) =>
          renameUser(tx, { ids, nowMs: clock.now() }, { userId: user.id, name, actor }),
        )
      if (!movesEmail) return { confirms: null }
      const mail = await mailEmailLink(context, { userId: user.id, email })
      if (mail === null) throw noMail()
      mailEmailAsked(context, { from: user.email, to: email })
      return { confirms: { email, mail } }
    },
  }),
  /** Mutes these alert kinds, and unmutes all others. */
  'profile/mute-alerts': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ kinds: Type.Array(Type.Enum(alertKinds), { maxItems: 100 }) }, closed),
    async handle({ user, writer }, { kinds }): Promise<{ changed: true }> {
      await writer.write((tx) => writeMutes(tx, { userId: user.id, kinds }))
      return { changed: true }
    },
  }),
  /** Sets a new password and ends all other sessions. Returns how many passkeys still sign the user in. */
  'profile/change-password': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ password, next: password }, closed),
    async handle(context, given): Promise<{ passkeys: number }> {
      const { user, ids, clock, actor, sessionId } = context
      await confirmPassword(context, given.password)
      const passwordHash = await hashNewPassword(given.next, user)
      const { passkeys, epoch } = await writeSignedIn(context, async (tx) => {
        const deps = { ids, nowMs: clock.now() }
        const still = await setPassword(tx, deps, { userId: user.id, passwordHash, keepSessionId: sessionId })
        const detail = { userId: user.id }
        await appendAudit(tx, deps, { accountId: null, actor, action: 'user.password_changed', detail })
        return { ...still, epoch: await lockUser(tx, user.id) }
      })
      if (epoch !== null) rememberBrowser(context, { userId: user.id, epoch })
      return { passkeys }
    },
  }),
  'profile/end-session': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({ sessionId: Type.String({ maxLength: 64 }) }, closed),
    handle: async (context, given): Promise<{ ended: number }> => ({
      ended: await endSessions(context, { only: given.sessionId }),
    }),
  }),
  'profile/end-other-sessions': defineCall({
    kind: 'change',
    access: 'user',
    input: Type.Object({}, closed),
    handle: async (context): Promise<{ ended: number }> => ({ ended: await endSessions(context, {}) }),
  }),
}

/**
 * Refuses another e-mail address without a mail server, without the password, beyond the hourly limit, and
 * when another user has it.
 */
async function admitEmail(
  context: UserContext,
  { email, password: given }: { email: string; password: string },
): Promise<void> {
  const { user, ports, read } = context
  if (ports.identity.mailer === null) throw noMail()
  await confirmPassword(context, given)
  takeEmailLink(ports.identity.limits, { userId: user.id, email })
  await refuseTaken(read, { userId: user.id, email })
}

async function listAlerts({ read, user }: UserContext): Promise<ProfileAnswer['alerts']> {
  const muted = await readMutes(read, user.id)
  return alertKinds.map((kind) => ({ kind, label: alertTexts[kind].label, isOn: !muted.includes(kind) }))
}

/** Ends one session of the user, or all but the current one. */
function endSessions({ user, sessionId, writer }: UserContext, { only }: { only?: string }): Promise<number> {
  return writer.write(async (tx) => {
    const own = tx.deleteFrom('auth_sessions').where('userId', '=', user.id)
    const { numDeletedRows } = await (
      only === undefined ? own.where('id', '!=', sessionId) : own.where('id', '=', only)
    ).executeTakeFirst()
    return Number(numDeletedRows)
  })
}
