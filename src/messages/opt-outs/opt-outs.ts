import { BoundedMap } from '../../runtime/bounded-map.ts'
import { everySpelling, presentSpelling } from '../../numbers/number-changes.ts'
import { everyForm, type NumberHash } from '../../numbers/number-hash.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { selectEach } from '../../storage/seam/sets.ts'

/** An account that a number has taken back its consent from, or given it to. */
export interface Consent {
  accountId: string
  mode: Mode
  recipient: string
}

/** Who opted out and in, to be made known after the commit. */
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

/** Newest opt-outs kept in memory. While more than these come in a waiting claim passes `askedAfterMs`, and the database is asked. */
const maxJustStopped = 10_000
/** This process may hear of a claim and of an opt-out this far apart, in either order, though one was stored behind the other. */
const heardApartMs = 1_000

/** Claims that waited no longer, which are nearly all, are not looked up: a commit takes as long. */
const askedAfterMs = 100

/**
 * Who said STOP to whom. Most accounts have nobody who did, so it remembers which accounts have, and asks the database about those
 * alone: a look-up for each send would cost a quarter of what a send may cost.
 */
export class OptOuts {
  readonly #read: Db
  readonly #numbers: NumberHash
  /** Null: not known, so the database is asked about everybody. */
  #accounts: ReadonlySet<string> | null = null
  #readings = 0
  readonly #justStopped = new BoundedMap<{ confirmationId: string | null; atMs: number }>(maxJustStopped)

  constructor(read: Db, numbers: NumberHash) {
    this.#read = read
    this.#numbers = numbers
  }

  /** Reads anew which accounts have opt-outs. Called whenever the directory changed; who stores an opt-out touches the directory. */
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
    // A later reading is on its way: this one may not know what made it begin.
    if (reading !== this.#readings) return
    this.#accounts = new Set(rows.map((row) => `${row.account_id}/${row.mode}`))
  }

  /** This process has stored opt-outs, or their end: that counts here from now on, and elsewhere when the directory is read. */
  note({ optedOut, optedIn }: ConsentChanges, monotonicMs: number): void {
    for (const each of optedOut) {
      const { confirmationId } = each
      this.#justStopped.set(nameOf(each), { confirmationId, atMs: monotonicMs })
    }
    const accounts = this.#accounts
    const missing = optedOut
      .map(({ accountId, mode }) => `${accountId}/${mode}`)
      .filter((name) => accounts?.has(name) === false)
    if (accounts !== null && missing.length > 0) this.#accounts = new Set([...accounts, ...missing])
    for (const each of optedIn) this.#justStopped.delete(nameOf(each))
  }

  /**
   * Whether the number of a message has opted out after the message was claimed, so long ago: it may have waited for room on its link. What was
   * stored before the claim the claim has seen; what this process stores it remembers; what others did is asked for where there was time for it.
   */
  hasStopped(
    claimed: Consent & { messageId: string },
    { waitedMs, monotonicMs, nowMs }: { waitedMs: number; monotonicMs: number; nowMs: number },
  ): boolean | Promise<boolean> {
    if (this.hasJustStopped(claimed, { waitedMs, monotonicMs })) return true
    return waitedMs > askedAfterMs && this.#hasStoppedAnywhere(claimed, nowMs)
  }

  /** The same by what this process has stored alone, which is known at once. */
  hasJustStopped(
    claimed: Consent & { messageId: string },
    { waitedMs, monotonicMs }: { waitedMs: number; monotonicMs: number },
  ): boolean {
    const stopped = this.#justStopped.size === 0 ? undefined : this.#justStopped.get(nameOf(claimed))
    return (
      stopped !== undefined &&
      stopped.atMs >= monotonicMs - waitedMs - heardApartMs &&
      stopped.confirmationId !== claimed.messageId
    )
  }

  async #hasStoppedAnywhere(
    { accountId, mode, recipient, messageId }: Consent & { messageId: string },
    nowMs: number,
  ): Promise<boolean> {
    const inputs = everySpelling(recipient).map((each) => [accountId, mode, each, nowMs])
    const rows = await selectEach<{ confirmation_id: string | null }>(this.#read, optOutOf, inputs)
    return rows.some(({ confirmation_id: confirmationId }) => confirmationId !== messageId)
  }

  /** Which of these numbers said STOP to the account. */
  async find(
    name: { accountId: string; mode: Mode },
    recipients: readonly string[],
    nowMs: number,
  ): Promise<ReadonlySet<string>> {
    if (this.#accounts !== null && !this.#accounts.has(`${name.accountId}/${name.mode}`)) return none
    // One that was erased stands under its hash and holds all the same.
    const written = new Map(
      recipients.flatMap((number) => everyForm(this.#numbers, number).map((each) => [each, number] as const)),
    )
    const inputs = [...written.keys()].map((each) => [name.accountId, name.mode, each, nowMs])
    const rows = await selectEach<{ recipient: string }>(this.#read, optOutOf, inputs)
    return new Set(rows.map((row) => written.get(row.recipient) as string))
  }
}

const nameOf = ({ accountId, mode, recipient }: Consent): string =>
  `${accountId}/${mode}/${presentSpelling(recipient)}`
