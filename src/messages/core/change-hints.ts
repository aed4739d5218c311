/**
 * Notifies open listeners, after the commit, which accounts have changed. Only a hint: changes that are not
 * reported (those of a command or a sweeper) are found by the listener's own poll.
 */
export class ChangeHints {
  #listener: AccountListener | null = null
  #relay: AccountListener | null = null

  listen(listener: AccountListener): void {
    this.#listener = listener
  }

  /** Sets the relay that passes the hints on to other processes. */
  relayTo(relay: AccountListener): void {
    this.#relay = relay
  }

  /**
   * Reports these accounts, in any number and order; null means any account. Collects nothing while there is
   * no open listener.
   */
  tell(accountIds: () => Iterable<string | null>): void {
    const looking = [this.#listener, this.#relay].filter((listener) => listener?.isLooking() === true)
    if (looking.length === 0) return
    for (const accountId of new Set(accountIds()))
      for (const listener of looking) listener?.changed(accountId)
  }

  /** Receives a hint from another process. */
  hear(accountId: string | null): void {
    if (this.#listener?.isLooking() === true) this.#listener.changed(accountId)
  }

  /** Runs a write, and reports the accounts that it changed once it has succeeded. */
  async after<T>(write: Promise<T>, accountIds: (result: T) => Iterable<string | null>): Promise<T> {
    const result = await write
    this.tell(() => accountIds(result))
    return result
  }
}

export interface AccountListener {
  isLooking(): boolean
  changed(accountId: string | null): void
}
