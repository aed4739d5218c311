import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { setCountries } from '../../../accounts/core/account-guard.ts'
import { setAccountPlan } from '../../../accounts/core/account-plan.ts'
import { setAccountLimits } from '../../../accounts/core/accounts.ts'
import { findAccounts, type ListedAccount } from '../../../accounts/core/list-accounts.ts'
import { issuePasswordLink } from '../../../accounts/people/password-link.ts'
import { setOwnDevices } from '../../../accounts/core/own-devices.ts'
import { setQuietHours } from '../../../accounts/core/quiet-hours.ts'
import { type OwnDevicePrice, ownDevicePrices } from '../../../storage/tables/column-values.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { type Granted, grantSms } from '../../../ledger/grants.ts'
import { availableOf, readWallets, type Wallet, walletKey } from '../../../ledger/ledger.ts'
import { rescheduleQuietHours } from '../../../messages/queue/defer-for-quiet-hours.ts'
import { changeAccountState } from '../../operator/change-account-state.ts'
import { defineCall, type UserContext } from '../core/call.ts'
import { quietHoursInput } from '../messages/quiet-hours-calls.ts'
import type { SystemHealth } from '../core/system-health.ts'

interface OperatedWallet {
  granted: number
  available: number
  /** What own devices sent for nothing. */
  ownUsed: number
}

/** An account as the operator sees it. */
export interface OperatedAccount extends ListedAccount {
  live: OperatedWallet
  test: OperatedWallet
}

const accountId = Type.String({ pattern: '^acc_[0-9a-z]{26}$' })
const limit = Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]))
const pageSize = 50

export const operatorCalls = {
  'operator/accounts': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object(
      { words: Type.String({ maxLength: 100 }), beforeId: Type.Optional(accountId) },
      closed,
    ),
    async handle(
      { read },
      { words, beforeId = null },
    ): Promise<{ accounts: OperatedAccount[]; nextBeforeId: string | null }> {
      const found = await findAccounts(read, { words: words.trim(), beforeId, limit: pageSize })
      const names = found.accounts.flatMap(({ id }) => [
        { accountId: id, mode: 'live' as const },
        { accountId: id, mode: 'test' as const },
      ])
      const wallets = await readWallets(read, names)
      const sumOf = (id: string, mode: 'live' | 'test') =>
        sums(wallets.get(walletKey({ accountId: id, mode })))
      return {
        accounts: found.accounts.map((account) => ({
          ...account,
          live: sumOf(account.id, 'live'),
          test: sumOf(account.id, 'test'),
        })),
        nextBeforeId: found.nextBeforeId,
      }
    },
  }),
  /** Creates an account. Its owner is not notified: the operator passes on the link. */
  'operator/open-account': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        email: Type.String({ maxLength: 254 }),
        /** Existing user with that address, after the operator has verified their identity. */
        userId: Type.Optional(Type.String({ pattern: '^usr_[0-9a-z]{26}$' })),
      },
      closed,
    ),
    handle: (context, account): Promise<{ accountId: string; link: string | null }> =>
      context.writer.write(async (tx) => {
        const nowMs = context.clock.now()
        const made = await context.ports.identity.openAccount(tx, nowMs, {
          ...account,
          actor: context.actor,
        })
        const link = await issuePasswordLink(tx, linkDepsOf(context), {
          userId: made.userId,
          evenSo: false,
          actor: context.actor,
        })
        return { accountId: made.accountId, link: link?.address ?? null }
      }),
  }),
  /** Creates a link for a user who lost the password; it works once. */
  'operator/reset-link': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ email: Type.String({ maxLength: 254 }) }, closed),
    handle: (context, { email }): Promise<{ link: string; expiresAt: number }> =>
      context.writer.write(async (tx) => {
        const user = await tx
          .selectFrom('users')
          .select('id')
          .where('email', '=', email.trim().toLowerCase())
          .executeTakeFirst()
        const link =
          user === undefined
            ? null
            : await issuePasswordLink(tx, linkDepsOf(context), {
                userId: user.id,
                evenSo: true,
                actor: context.actor,
              })
        if (link === null) throw refuse('not_found', { detail: `User ${email} not found.` })
        return { link: link.address, expiresAt: link.expiresAt }
      }),
  }),
  'operator/grant': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        accountId,
        mode: Type.Enum(['live', 'test']),
        kind: Type.Enum(['grant', 'top_up', 'correction']),
        sms: Type.Integer(),
        note: Type.String({ maxLength: 500 }),
        /** From the page: a second click grants nothing. */
        key: Type.String({ pattern: '^[A-Za-z0-9-]{8,64}$' }),
      },
      closed,
    ),
    async handle(context, { key, ...grant }): Promise<Omit<Granted, 'isReplay'>> {
      const { isReplay: _, ...granted } = await context.writer.write((tx) =>
        grantSms(tx, depsOf(context), { ...grant, requestKey: key, actor: context.actor }),
      )
      return granted
    },
  }),
  'operator/limits': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        accountId,
        sendPerMinute: limit,
        readPerMinute: limit,
        queueLimit: limit,
        numberPerHour: limit,
        prefixPerHour: limit,
        pumpingNumbers: limit,
      },
      closed,
    ),
    handle: (context, { accountId: id, ...limits }): Promise<object> =>
      context.writer.write((tx) =>
        setAccountLimits(tx, depsOf(context), { accountId: id, limits, actor: context.actor }),
      ),
  }),
  /** Sets the countries that an account can send to (null: all), and its quiet hours. */
  'operator/reach': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      {
        accountId,
        countries: Type.Union([
          Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 300 }),
          Type.Null(),
        ]),
        quietHours: quietHoursInput,
      },
      closed,
    ),
    handle: (context, { accountId: id, countries, quietHours }): Promise<{ countries: string[] | null }> =>
      context.writer.write(async (tx) => {
        const asked = { accountId: id, actor: context.actor }
        await setQuietHours(tx, depsOf(context), { ...asked, hours: quietHours })
        await rescheduleQuietHours(tx, id, context.clock.now())
        return { countries: await setCountries(tx, depsOf(context), { ...asked, countries }) }
      }),
  }),
  /** Sets what messages over own devices of an account cost, from the next send on. */
  'operator/own-devices': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ accountId, price: Type.Enum([...ownDevicePrices]) }, closed),
    handle: async (context, { accountId: id, price }): Promise<{ price: OwnDevicePrice }> => {
      await context.writer.write((tx) =>
        setOwnDevices(tx, depsOf(context), { accountId: id, price, actor: context.actor }),
      )
      return { price }
    },
  }),
  /** Sets the word by which rules of routes match the messages of an account; null: none. */
  'operator/plan': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      { accountId, plan: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]) },
      closed,
    ),
    handle: async (context, { accountId: id, plan }): Promise<{ plan: string | null }> => {
      await context.writer.write((tx) =>
        setAccountPlan(tx, depsOf(context), { accountId: id, plan, actor: context.actor }),
      )
      return { plan }
    },
  }),
  /** Changes the state. Closing is permanent: it cancels queued messages and recalls messages from phones. */
  'operator/state': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object({ accountId, state: Type.Enum(['active', 'suspended', 'closed']) }, closed),
    handle: (context, change): Promise<{ changed: boolean; canceled: number }> =>
      changeAccountState(context, { ...change, actor: context.actor }),
  }),
  'operator/health': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object({}, closed),
    handle: ({ ports }): Promise<SystemHealth> => ports.health(),
  }),
}

const depsOf = ({ ids, clock }: UserContext) => ({ ids, nowMs: clock.now() })

const linkDepsOf = (context: UserContext) => ({
  ...depsOf(context),
  randomBytes,
  config: context.config,
  publicUrl: context.publicUrl(),
})

const sums = (wallet: Wallet | undefined): OperatedWallet =>
  wallet === undefined
    ? { granted: 0, available: 0, ownUsed: 0 }
    : { granted: wallet.granted, available: availableOf(wallet), ownUsed: wallet.own_used }
