/** A session that ended while a page was open: whether the user is asked to sign in again, or declined to. */
export type SessionEndState = 'none' | 'asking' | 'declined'

/**
 * Calls that are answered `not_signed_in` while a page is open wait until the user has signed in again, and are then repeated. They had no effect, as
 * the session is checked first. One for the whole page.
 */
export class SessionEnd {
  #state: SessionEndState = 'none'
  #asking: PromiseWithResolvers<boolean> | null = null
  readonly #watchers = new Set<() => void>()
  /** Whether a user is known to be signed in: to others a refusal is an answer. */
  #isKnown: () => boolean = () => false

  get state(): SessionEndState {
    return this.#state
  }

  readonly watch = (look: () => void): (() => void) => {
    this.#watchers.add(look)
    return () => void this.#watchers.delete(look)
  }

  /** Says how to find whether a user is known to be signed in. */
  askOnlyWhile(isKnown: () => boolean): void {
    this.#isKnown = isKnown
  }

  /**
   * Resolves with true when the user has signed in again, and with false when there was none or the user declined. After that only what the user
   * does asks again (`isOwnAct`), not what pages read by themselves.
   */
  signInAgain({ isOwnAct }: { isOwnAct: boolean }): Promise<boolean> {
    if (!this.#isKnown() || (this.#state === 'declined' && !isOwnAct)) return Promise.resolve(false)
    this.#asking ??= Promise.withResolvers<boolean>()
    this.#show('asking')
    return this.#asking.promise
  }

  /** To be called when the dialog is over, or the same user has signed in elsewhere. */
  end(hasSignedIn: boolean): void {
    this.#settle(hasSignedIn)
    this.#show(hasSignedIn ? 'none' : 'declined')
  }

  /** To be called before a user signs out, or another one signs in: no call may be repeated for another user. */
  reset(): void {
    this.#settle(false)
    this.#show('none')
  }

  #settle(hasSignedIn: boolean): void {
    this.#asking?.resolve(hasSignedIn)
    this.#asking = null
  }

  #show(state: SessionEndState): void {
    this.#state = state
    for (const look of this.#watchers) look()
  }
}

export const sessionEnd = new SessionEnd()
