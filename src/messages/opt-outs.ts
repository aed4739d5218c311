import type { NumberHash } from '../number-hash.ts'
import type { Db } from '../storage/dialect.ts'
import type { Mode } from '../storage/schema.ts'
import { selectEach } from '../storage/sets.ts'

const optOutOf = {
  sql: `select recipient from opt_outs where account_id = :account and mode = :mode and recipient = :recipient
        and (forget_at is null or forget_at > :now)`,
  inputs: ['account', 'mode', 'recipient', 'now'],
} as const

const none: ReadonlySet<string> = new Set()

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

  constructor(read: Db, numbers: NumberHash) {
    this.#read = read
    this.#numbers = numbers
  }

  /** Reads anew which accounts have opt-outs. Called whenever the directory changed; who stores an opt-out touches the directory. */
  async refresh(): Promise<void> {
    this.#accounts = null
    const reading = ++this.#readings
    const rows = await this.#read.selectFrom('opt_outs').select(['account_id', 'mode']).distinct().execute()
    // A later reading is on its way: this one may not know what made it begin.
    if (reading !== this.#readings) return
    this.#accounts = new Set(rows.map((row) => `${row.account_id}/${row.mode}`))
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
      recipients.flatMap((number) => [number, ...this.#numbers.all(number)].map((each) => [each, number])),
    )
    const inputs = [...written.keys()].map((each) => [name.accountId, name.mode, each, nowMs])
    const rows = await selectEach<{ recipient: string }>(this.#read, optOutOf, inputs)
    return new Set(rows.map((row) => written.get(row.recipient) as string))
  }
}
