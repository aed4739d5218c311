import type { Selectable } from 'kysely'
import { type Fault, refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import { invalidInput, nameFaults } from '../../runtime/invalid-input.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import type { AccountState, OwnDevicePrice } from '../../storage/tables/schema.ts'
import type { AccountTable } from '../../storage/tables/account-tables.ts'
import { accountOwner } from './account-owner.ts'

/**
 * Dependencies of changes to accounts. An account has two wallets, up to ten active keys and one or more
 * users; it is active, suspended (reads work, its queue is frozen) or closed, which is permanent. Every
 * change is audited, and makes the nodes reload the account.
 */
export interface AccountDeps {
  ids: Ids
  nowMs: number
}

export interface NewAccount {
  name: string
  /** Address of the owner. One of an existing user is rejected unless `userId` names that user. */
  email: string
  /** An existing owner, whom the caller has identified. */
  userId?: string
  /** Countries to which it can send. Default, and null: all. */
  countries?: readonly string[] | null
  /** What messages over its own devices cost. Default: `charged`. */
  ownDevices?: OwnDevicePrice
  /** Makes the owner the operator of the instance. */
  isOperator?: boolean
  actor: string
}

/**
 * Creates an account with its owner; `openWallets` fills its wallets in the same transaction. Rejects names
 * that do not have 1 to 100 characters and e-mail addresses that browsers reject, both together, and
 * addresses of existing users that are not named.
 */
export async function createAccount(
  tx: Tx,
  deps: AccountDeps & { openWallets: (tx: Tx, accountId: string) => Promise<void> },
  account: NewAccount,
): Promise<{ accountId: string; userId: string; isNewUser: boolean }> {
  const name = account.name.trim()
  const email = account.email.trim().toLowerCase()
  const faults = [...nameFaults(name), ...emailFaults(email)]
  if (faults.length > 0) throw invalidInput(faults)
  const { ids, nowMs } = deps
  const accountId = ids('acc')
  await tx
    .insertInto('accounts')
    .values({
      id: accountId,
      name,
      state: 'active',
      countries: account.countries?.join() ?? null,
      own_devices: account.ownDevices ?? 'charged',
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute()
  const { userId: ownerId, isOperator = false } = account
  const wanted = { name, email, isOperator, ...(ownerId !== undefined && { userId: ownerId }) }
  const { userId, isNewUser } = await accountOwner(tx, deps, wanted)
  await tx
    .insertInto('account_users')
    .values({ account_id: accountId, user_id: userId, role: 'owner' })
    .execute()
  await deps.openWallets(tx, accountId)
  await appendAudit(tx, deps, {
    accountId,
    actor: account.actor,
    action: 'account.created',
    detail: { name, userId },
  })
  await touchDirectory(tx)
  return { accountId, userId, isNewUser }
}

/** Allowed transitions of the state; `closed` is final. */
const stateMoves: Record<AccountState, readonly AccountState[]> = {
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
}

/**
 * Suspends, reactivates or closes an account. Closing cancels queued messages through `cancelWaiting`, which
 * cancels one bounded page and returns the number of messages; the caller repeats the call in further
 * transactions until it is 0. Setting the same state changes nothing, except that closing again continues to
 * cancel. Rejects a transition out of `closed`.
 */
export async function setAccountState(
  tx: Tx,
  deps: AccountDeps & { cancelWaiting: (tx: Tx, accountId: string) => Promise<number> },
  change: { accountId: string; state: AccountState; actor: string },
): Promise<{ changed: boolean; canceled: number }> {
  const { accountId, state, actor } = change
  const account = await readAccount(tx, accountId)
  const changed = account.state !== state
  if (changed) {
    if (!stateMoves[account.state].includes(state)) {
      throw invalidInput([
        {
          pointer: '/state',
          code: 'not_in_enum',
          detail: `Account ${accountId} is ${account.state} and cannot become ${state}.`,
        },
      ])
    }
    await tx
      .updateTable('accounts')
      .set({ state, updated_at: deps.nowMs })
      .where('id', '=', accountId)
      .execute()
    await appendAudit(tx, deps, {
      accountId,
      actor,
      action: `account.${stateVerbs[state]}`,
      detail: { from: account.state },
    })
    await touchDirectory(tx)
  }
  return { changed, canceled: state === 'closed' ? await deps.cancelWaiting(tx, accountId) : 0 }
}

const stateVerbs: Record<AccountState, string> = {
  active: 'reactivated',
  suspended: 'suspended',
  closed: 'closed',
}

/** Null uses the setting of the instance, 0 is no limit; an absent limit stays unchanged. */
export interface AccountLimits {
  sendPerMinute?: number | null
  readPerMinute?: number | null
  queueLimit?: number | null
  /** Messages per hour to one number, and to one number block. */
  numberPerHour?: number | null
  prefixPerHour?: number | null
  /** See `PumpingWatch`. */
  pumpingNumbers?: number | null
}

/** Sets limits of an account and returns all of them. Rejects numbers that are not whole or below 0. */
export async function setAccountLimits(
  tx: Tx,
  deps: AccountDeps,
  change: { accountId: string; limits: AccountLimits; actor: string },
): Promise<Required<AccountLimits>> {
  const { accountId, limits } = change
  const faults = Object.entries(limits).flatMap(([name, value]) =>
    value === null || (Number.isInteger(value) && value >= 0 && value <= maxLimit)
      ? []
      : [
          {
            pointer: `/${name}`,
            code: 'out_of_range' as const,
            detail: `A limit must be a whole number from 0 to ${maxLimit}.`,
          },
        ],
  )
  if (faults.length > 0) throw invalidInput(faults)
  const account = await readAccount(tx, accountId)
  const {
    sendPerMinute = account.send_per_minute,
    readPerMinute = account.read_per_minute,
    queueLimit = account.queue_limit,
    numberPerHour = account.number_per_hour,
    prefixPerHour = account.prefix_per_hour,
    pumpingNumbers = account.pumping_numbers,
  } = limits
  await tx
    .updateTable('accounts')
    .set({
      send_per_minute: sendPerMinute,
      read_per_minute: readPerMinute,
      queue_limit: queueLimit,
      number_per_hour: numberPerHour,
      prefix_per_hour: prefixPerHour,
      pumping_numbers: pumpingNumbers,
      updated_at: deps.nowMs,
    })
    .where('id', '=', accountId)
    .execute()
  await appendAudit(tx, deps, {
    accountId,
    actor: change.actor,
    action: 'account.limited',
    detail: { ...limits },
  })
  await touchDirectory(tx)
  return { sendPerMinute, readPerMinute, queueLimit, numberPerHour, prefixPerHour, pumpingNumbers }
}

const maxLimit = 1_000_000_000

/** Returns the account, or rejects an unknown ID. */
export async function readAccount(tx: Tx, accountId: string): Promise<Selectable<AccountTable>> {
  const account = await tx.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirst()
  if (account === undefined) throw refuse('not_found', { detail: `Account ${accountId} not found.` })
  return account
}

/** Address of the first operator until setup asks for the real one. */
export const placeholderEmail = 'operator@localhost'

/**
 * A valid e-mail address by the HTML standard, section 4.10.5.1.5, as browsers accept it; 254 is the limit of
 * RFC 5321.
 */
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Returns the faults of an e-mail address in lower case. */
export const emailFaults = (email: string): Fault[] =>
  email.length <= 254 && emailForm.test(email)
    ? []
    : [
        {
          pointer: '/email',
          code: 'invalid_format',
          detail: 'The e-mail address is not valid; write it as name@example.org.',
        },
      ]
