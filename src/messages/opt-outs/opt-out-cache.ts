import { BoundedMap } from '../../runtime/bounded-map.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import { everyForm, type NumberHash } from '../../numbers/number-hash.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/** An account that a number has opted out of, or in to. */
export interface Consent {
  accountId: string
  mode: Mode
  recipient: string
}

/** Opt-outs and opt-ins to make known after the commit. */
export interface ConsentChanges {
  optedOut: (Consent & { confirmationId: string | null })[]
  optedIn: Consent[]
}

const optOutOf = {
  sql: `select recipient, confirmation_id from opt_outs where account_id = :account and mode = :mode and recipient = :recipient
        and (forget_at is null or forget_at > :now)`,
  inputs: ['account', 'mode', 'recipient', 'now'],
} as const

const none: ReadonlySet<string> = new Set()

/**
 * Maximum of the newest opt-outs kept in memory. If more arrive while a claim waits, it waits longer than
 * `askedAfterMs`, and the database is read.
 */
const maxNewest = 10_000
/**
 * This process may learn of a claim and of an opt-out this far apart, in either order, although one was
 * stored after the other.
 */
const maxSkewMs = 1_000

/** Claims that waited no longer, which nearly all are, are not looked up: a commit takes as long. */
const askedAfterMs = 100

/**
 * Which numbers have opted out of which accounts. Most accounts have no opt-outs, so this remembers the
 * accounts that do, and reads the database only for them: a lookup for each send would cost a quarter of the
 * time of a send.
 */
export class OptOutCache {
  readonly #read: Db
  readonly #numbers: NumberHash
  /** Null: unknown, so the database is read for every account. */
  #accounts: ReadonlySet<string> | null = null
  #readings = 0
  readonly #newest = new BoundedMap<{ confirmationId: string | null; atMs: number }>(maxNewest)

  constructor(read: Db, numbers: NumberHash) {
    this.#read = read
    this.#numbers = numbers
  }

  /**
   * Reloads the accounts that have opt-outs. Called whenever the directory changed: the first opt-out of an
   * account touches it. Later ones are read from the table.
   */
  async refresh(): Promise<void> {
    this.#accounts = null
    const reading = ++this.#readings
    const rows = await this.#read
      .selectFrom('wallets as w')
      .select(['w.account_id', 'w.mode'])
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('opt_outs as o')
            .select('o.recipient')
            .whereRef('o.account_id', '=', 'w.account_id')
            .whereRef('o.mode', '=', 'w.mode'),
        ),
      )
      .execute()
    // A later reload has started: this one may miss the change that caused it.
    if (reading !== this.#readings) return
    this.#accounts = new Set(rows.map((row) => `${row.account_id}/${row.mode}`))
  }

  /**
   * Notes opt-outs, or their end, that this process has stored: effective here from now on, and on other
   * nodes when they reload the directory.
   */
  note({ optedOut, optedIn }: ConsentChanges, monotonicMs: number): void {
    for (const each of optedOut) {
      const { confirmationId } = each
      this.#newest.set(keyOf(each), { confirmationId, atMs: monotonicMs })
    }
    const accounts = this.#accounts
    const missing = optedOut
      .map(({ accountId, mode }) => `${accountId}/${mode}`)
      .filter((key) => accounts?.has(key) === false)
    if (accounts !== null && missing.length > 0) this.#accounts = new Set([...accounts, ...missing])
    for (const each of optedIn) this.#newest.delete(keyOf(each))
  }

  /**
   * Returns whether the recipient of a message has opted out since the message was claimed, `waitedMs` ago:
   * the message may have waited for a free window of its link. The claim itself saw all earlier opt-outs;
   * those that this process stored are in memory; those of other nodes are read when the wait was long enough
   * for one.
   */
  hasOptedOut(
    claimed: Consent & { messageId: string },
    { waitedMs, monotonicMs, nowMs }: { waitedMs: number; monotonicMs: number; nowMs: number },
  ): boolean | Promise<boolean> {
    if (this.isKnownOptedOut(claimed, { waitedMs, monotonicMs })) return true
    return waitedMs > askedAfterMs && this.#isStoredOptedOut(claimed, nowMs)
  }

  /** Does the same with the opt-outs of this process only, which needs no read. */
  isKnownOptedOut(
    claimed: Consent & { messageId: string },
    { waitedMs, monotonicMs }: { waitedMs: number; monotonicMs: number },
  ): boolean {
    const optOut = this.#newest.size === 0 ? undefined : this.#newest.get(keyOf(claimed))
    return (
      optOut !== undefined &&
      optOut.atMs >= monotonicMs - waitedMs - maxSkewMs &&
      optOut.confirmationId !== claimed.messageId
    )
  }

  async #isStoredOptedOut(
    { accountId, mode, recipient, messageId }: Consent & { messageId: string },
    nowMs: number,
  ): Promise<boolean> {
    const inputs = everySpelling(recipient).map((each) => [accountId, mode, each, nowMs])
    const rows = await selectEach<{ confirmation_id: string | null }>(this.#read, optOutOf, inputs)
    return rows.some(({ confirmation_id: confirmationId }) => confirmationId !== messageId)
  }

  /** Returns which of these numbers have opted out of the account. */
  async find(
    name: { accountId: string; mode: Mode },
    recipients: readonly string[],
    nowMs: number,
  ): Promise<ReadonlySet<string>> {
    if (this.#accounts !== null && !this.#accounts.has(`${name.accountId}/${name.mode}`)) return none
    // An erased number is stored as its hash, and its opt-out still applies.
    const numberOf = new Map(
      recipients.flatMap((number) => everyForm(this.#numbers, number).map((each) => [each, number] as const)),
    )
    const inputs = [...numberOf.keys()].map((each) => [name.accountId, name.mode, each, nowMs])
    const rows = await selectEach<{ recipient: string }>(this.#read, optOutOf, inputs)
    return new Set(rows.map((row) => numberOf.get(row.recipient) as string))
  }
}

const keyOf = ({ accountId, mode, recipient }: Consent): string =>
  `${accountId}/${mode}/${presentSpelling(recipient)}`
