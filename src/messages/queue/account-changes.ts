/**
 * Says which accounts have changed, after the commit, to whoever looks on at this moment. Only a hint: what nobody tells of (a command, a
 * janitor) is found by the listener's own poll.
 */
export class AccountChanges {
  #listener: AccountListener | null = null
  #relay: AccountListener | null = null

  listen(listener: AccountListener): void {
    this.#listener = listener
  }

  /** Who hands on what is told here to other processes. */
  relayTo(relay: AccountListener): void {
    this.#relay = relay
  }

  /** Tells of these accounts, in any number and order; null means of any. While nobody looks on nothing is gathered. */
  tell(accountIds: () => Iterable<string | null>): void {
    const looking = [this.#listener, this.#relay].filter((listener) => listener?.isLooking() === true)
    if (looking.length === 0) return
    for (const accountId of new Set(accountIds()))
      for (const listener of looking) listener?.changed(accountId)
  }

  /** Another process has told of an account. */
  hear(accountId: string | null): void {
    if (this.#listener?.isLooking() === true) this.#listener.changed(accountId)
  }

  /** Runs a write, and tells of the accounts that it changed once it has ended well. */
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
