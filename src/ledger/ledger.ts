import type { Selectable } from 'kysely'
import { allDone } from '../runtime/all-done.ts'
import { utcDay } from '../runtime/clock.ts'
import type { WalletTable } from '../storage/tables/account-tables.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import type { Mode, Payer } from '../storage/tables/schema.ts'
import { addToRows, adjustRows, selectEach } from '../storage/seam/sets.ts'

/**
 * What an account can spend. A hold reserves parts when a send is accepted; it is charged or released once,
 * in the transaction that changes the message. `available = granted − reserved − used` is never below 0: the
 * table rejects it.
 */
export type Wallet = Selectable<WalletTable>

export interface WalletName {
  accountId: string
  mode: Mode
}

export const availableOf = (wallet: Pick<Wallet, 'granted' | 'reserved' | 'used'>): number =>
  wallet.granted - wallet.reserved - wallet.used

const byName = {
  sql: `select account_id, mode, granted, reserved, used, used_archived, own_reserved, own_used, own_used_archived, low_threshold, refilled_day
        from wallets where account_id = :account and mode = :mode`,
  inputs: ['account', 'mode'],
  few: true,
} as const

/** Reads these wallets, each once, in the order of their names: the order in which they are locked. */
export async function readWallets(db: Db | Tx, names: Iterable<WalletName>): Promise<Map<string, Wallet>> {
  const distinct = new Map<string, WalletName>()
  for (const name of names) distinct.set(walletKey(name), name)
  const ordered = [...distinct]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, name]) => [name.accountId, name.mode])
  const wallets = await selectEach<Wallet>(db, byName, ordered)
  return new Map(
    wallets.map((wallet) => [walletKey({ accountId: wallet.account_id, mode: wallet.mode }), wallet]),
  )
}

export const walletKey = (name: WalletName): string => `${name.accountId}/${name.mode}`

/** A wallet, and whether it pays: what own devices carry for nothing is counted apart from the balance. */
export interface Purse extends WalletName {
  /** Omitted: the balance. */
  paidBy?: Payer | undefined
}

interface WalletChange extends WalletName {
  reserved: number
  used: number
  own_reserved: number
  own_used: number
}

interface DayChange {
  account_id: string
  mode: Mode
  day: number
  parts: number
}

/** Keeps the charges of removed messages, so that the usage stays explained: one row for each wallet. */
export const archiveUsed = (
  tx: Tx,
  rows: readonly { account_id: string; mode: Mode; used_archived: number; own_used_archived: number }[],
): Promise<number> =>
  adjustRows(
    tx,
    'wallets',
    { key: ['account_id', 'mode'], amounts: ['used_archived', 'own_used_archived'] },
    rows,
  )

const paidAmounts = ['reserved', 'used'] as const
const amounts = [...paidAmounts, 'own_reserved', 'own_used'] as const

/** Sums the changes of a batch, so that each wallet is written once per transaction. */
export class WalletChanges {
  readonly #changes = new Map<string, WalletChange>()
  readonly #days = new Map<string, DayChange>()

  reserve(purse: Purse, parts: number): void {
    const change = this.#of(purse)
    if (purse.paidBy === 'own_device') change.own_reserved += parts
    else change.reserved += parts
  }

  /**
   * Settles a hold: charges `charged` parts of it on the UTC day of `atMs`, and releases the rest. `payer` is the
   * purse that is charged, if another one than that of the hold: then the hold is released whole.
   */
  settle(
    purse: Purse,
    {
      held,
      charged,
      atMs,
      payer = purse.paidBy,
    }: { held: number; charged: number; atMs: number; payer?: Payer | undefined },
  ): void {
    this.reserve(purse, -held)
    if (payer === 'own_device') this.#of(purse).own_used += charged
    else {
      this.#of(purse).used += charged
      if (charged > 0) this.#use(purse, charged, utcDay(atMs))
    }
  }

  /** Writes the sums, and adds usage to the counters of its days. */
  async apply(tx: Tx): Promise<void> {
    const changes = [...this.#changes.values()]
      .filter((change) => amounts.some((amount) => change[amount] !== 0))
      .toSorted((a, b) => (walletKey(a) < walletKey(b) ? -1 : 1))
    const rows = changes.map(({ accountId: account_id, ...change }) => ({ account_id, ...change }))
    // The usual case has the short statement.
    const isOwn = changes.some((change) => change.own_reserved !== 0 || change.own_used !== 0)
    const [found] = await allDone([
      adjustRows(
        tx,
        'wallets',
        { key: ['account_id', 'mode'], amounts: isOwn ? amounts : paidAmounts },
        rows,
      ),
      addToRows(
        tx,
        'usage_days',
        { key: ['account_id', 'mode', 'day'], amounts: ['parts'] },
        [...this.#days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
      ),
    ])
    if (found !== rows.length) throw new Error('a wallet is missing, so nothing of this batch can be stored')
  }

  #use(name: WalletName, parts: number, day: number): void {
    const key = `${walletKey(name)}/${day}`
    const { accountId: account_id, mode } = name
    const earlier = this.#days.get(key)?.parts ?? 0
    this.#days.set(key, { account_id, mode, day, parts: earlier + parts })
  }

  #of(name: WalletName): WalletChange {
    const key = walletKey(name)
    let change = this.#changes.get(key)
    if (change === undefined)
      this.#changes.set(
        key,
        (change = {
          accountId: name.accountId,
          mode: name.mode,
          reserved: 0,
          used: 0,
          own_reserved: 0,
          own_used: 0,
        }),
      )
    return change
  }
}
