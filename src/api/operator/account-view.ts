import { type Static, Type } from 'typebox'
import type { ListedAccount } from '../../accounts/core/list-accounts.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import { availableOf, readWallets, type Wallet, walletKey } from '../../ledger/ledger.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'
import { ownDevicePrices } from '../../storage/tables/column-values.ts'

const sms = (description: string) => Type.Integer({ description })
const limit = (description: string) => orNull<number>('integer', description)

const WalletSchema = Type.Object(
  {
    available: sms('SMS available to send: `granted − reserved − used`.'),
    reserved: sms('SMS reserved for messages without a final outcome.'),
    used: sms('SMS charged since the account was created.'),
    granted: sms('SMS granted since the account was created.'),
    low_threshold: sms('Threshold: the balance is low at or below it.'),
  },
  { description: 'Wallet of one mode.' },
)

export const AccountSchema = Type.Object({
  object: oneOf(['account'], 'Type of the object.'),
  id: Type.String({ description: 'Account ID.' }),
  name: Type.String({ description: 'Name.' }),
  state: oneOf(
    ['active', 'suspended', 'closed'],
    '`suspended`: sends are rejected, reads work. `closed`: permanently.',
  ),
  emails: Type.Array(Type.String(), {
    description: 'E-mail addresses of the owners, oldest first. They may be unconfirmed.',
  }),
  balance: Type.Object(
    { live: WalletSchema, test: WalletSchema },
    { description: 'Wallets; each mode has its own.' },
  ),
  limits: Type.Object(
    {
      send_per_minute: limit('Send requests per minute.'),
      read_per_minute: limit('Read requests per minute.'),
      queue: limit('Queued messages.'),
    },
    {
      description: 'Limits of the account, in each mode. null: the setting of the instance; 0: no limit.',
    },
  ),
  own_devices: oneOf(
    ownDevicePrices,
    '`free`: messages over own devices of the account cost nothing. `charged`: they cost the same as any.',
  ),
  plan: orNull<string>('string', 'Plan, by which rules of routes match; null: none.'),
  created_at: Type.String({ format: 'date-time', description: 'Time of creation.' }),
})

export type AccountView = Static<typeof AccountSchema>

/** Renders accounts with their wallets for the operator API. */
export async function viewAccounts(db: Db, accounts: readonly ListedAccount[]): Promise<AccountView[]> {
  const names = accounts.flatMap(({ id }) => [nameOf(id, 'live'), nameOf(id, 'test')])
  const wallets = await readWallets(db, names)
  return accounts.map((account) => ({
    object: 'account',
    id: account.id,
    name: account.name,
    state: account.state,
    emails: account.emails,
    balance: {
      live: viewWallet(wallets.get(walletKey(nameOf(account.id, 'live')))),
      test: viewWallet(wallets.get(walletKey(nameOf(account.id, 'test')))),
    },
    limits: {
      send_per_minute: account.sendPerMinute,
      read_per_minute: account.readPerMinute,
      queue: account.queueLimit,
    },
    own_devices: account.ownDevices,
    plan: account.plan,
    created_at: rfc3339(account.createdAt),
  }))
}

const nameOf = (accountId: string, mode: Mode) => ({ accountId, mode })

/** Every account has both wallets from its first transaction. */
function viewWallet(wallet: Wallet | undefined): Static<typeof WalletSchema> {
  if (wallet === undefined) throw new Error('an account has no wallet')
  const { reserved, used, granted, low_threshold } = wallet
  return { available: availableOf(wallet), reserved, used, granted, low_threshold }
}

/** Example for the reference. */
export const accountExample: AccountView = {
  object: 'account',
  id: 'acc_01k9ktn8q4e8bvzr5y1w3xh7dg',
  name: 'Ada',
  state: 'active',
  emails: ['ada@example.org'],
  balance: {
    live: { available: 7, reserved: 2, used: 1, granted: 10, low_threshold: 5 },
    test: { available: 1000, reserved: 0, used: 0, granted: 1000, low_threshold: 5 },
  },
  limits: { send_per_minute: null, read_per_minute: null, queue: null },
  own_devices: 'charged',
  plan: null,
  created_at: '2026-11-21T09:30:00.000Z',
}
