import { type Static, Type } from 'typebox'
import type { ListedAccount } from '../../accounts/core/list-accounts.ts'
import { rfc3339 } from '../../runtime/clock.ts'
import { availableOf, readWallets, type Wallet, walletKey } from '../../ledger/ledger.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { oneOf, orNull } from '../../runtime/schemas.ts'

const sms = (description: string) => Type.Integer({ description })
const limit = (description: string) => orNull<number>('integer', description)

const WalletSchema = Type.Object(
  {
    available: sms('SMS that may still be sent: `granted − reserved − used`.'),
    reserved: sms('SMS held for messages whose outcome is not known yet.'),
    used: sms('SMS charged since the account exists.'),
    granted: sms('SMS granted since the account exists.'),
    low_threshold: sms('The balance counts as low at or below this.'),
  },
  { description: 'What one mode of an account may spend.' },
)

export const AccountSchema = Type.Object({
  object: oneOf(['account'], 'What this object is.'),
  id: Type.String({ description: 'The account.' }),
  name: Type.String({ description: 'What it is called.' }),
  state: oneOf(
    ['active', 'suspended', 'closed'],
    '`suspended`: sends are refused, reading works. `closed`: for ever.',
  ),
  emails: Type.Array(Type.String(), {
    description: 'E-mail addresses of its owners, oldest first. They may be unconfirmed.',
  }),
  balance: Type.Object(
    { live: WalletSchema, test: WalletSchema },
    { description: 'Each mode has a wallet of its own.' },
  ),
  limits: Type.Object(
    {
      send_per_minute: limit('Sends a minute.'),
      read_per_minute: limit('Reads a minute.'),
      queue: limit('Messages that may wait.'),
    },
    {
      description: 'Limits of this account, for each mode; null is the setting of the instance, 0 no limit.',
    },
  ),
  created_at: Type.String({ format: 'date-time', description: 'When it was opened.' }),
})

export type AccountView = Static<typeof AccountSchema>

/** Accounts as the operator's programs see them, with what they may spend. */
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
    created_at: rfc3339(account.createdAt),
  }))
}

const nameOf = (accountId: string, mode: Mode) => ({ accountId, mode })

/** An account has both wallets from its first transaction on. */
function viewWallet(wallet: Wallet | undefined): Static<typeof WalletSchema> {
  if (wallet === undefined) throw new Error('an account has no wallet')
  const { reserved, used, granted, low_threshold } = wallet
  return { available: availableOf(wallet), reserved, used, granted, low_threshold }
}

/** The example of the reference. */
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
  created_at: '2026-11-21T09:30:00.000Z',
}
