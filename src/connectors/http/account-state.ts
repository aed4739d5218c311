import type { Health } from '../health.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { minuteMs } from '../../runtime/clock.ts'

/** Why nothing can be sent over an account now. */
export interface AccountFault {
  /** A key of the remedies of `facts.ts`. */
  reason: string
  /** For people, without secrets. */
  detail: string
}

/** A fault of the account is looked at again after a minute; the network may be back much sooner. */
const accountRestMs = minuteMs
const firstRestMs = 1_000

interface Deps {
  tools: Pick<ConnectorTools, 'now' | 'schedule'>
  changed(): void
  /** The rest is over: the account is asked, or the next message is its probe. */
  probe(): void
}

/**
 * Whether messages can be sent over an account: after a fault it rests, and then is probed. Connections that fail rest for a
 * second, and twice as long each time, up to a minute; other faults for a minute.
 */
export class AccountState {
  readonly #deps: Deps
  #fault: AccountFault | null = null
  #isResting = false
  #failures = 0
  #cancel: (() => void) | null = null
  #lastSeenAt: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get fault(): AccountFault | null {
    return this.#fault
  }

  /** Nothing is sent; after the rest one request at a time probes. */
  get isResting(): boolean {
    return this.#isResting
  }

  get lastSeenAt(): number | null {
    return this.#lastSeenAt
  }

  /** The provider answered, and takes requests. */
  works(): void {
    this.#lastSeenAt = this.#deps.tools.now()
    this.#failures = 0
    this.#end()
    if (this.#fault === null) return
    this.#fault = null
    this.#deps.changed()
  }

  /** Nothing shows whether it works again: the next message does. */
  assume(): void {
    this.#end()
    if (this.#fault === null) return
    this.#fault = null
    this.#deps.changed()
  }

  /** A request showed that nothing can be sent now. */
  fails(fault: AccountFault): void {
    const isNew = this.#fault?.reason !== fault.reason || !this.#isResting
    this.#failures += 1
    this.#fault = fault
    this.#end()
    this.#isResting = true
    const restMs =
      fault.reason === 'unreachable'
        ? Math.min(firstRestMs * 2 ** (this.#failures - 1), accountRestMs)
        : accountRestMs
    this.#cancel = this.#deps.tools.schedule(restMs, () => {
      this.#isResting = false
      this.#cancel = null
      this.#deps.probe()
    })
    if (isNew) this.#deps.changed()
  }

  /** Ends all waiting. */
  stop(): void {
    this.#end()
  }

  #end(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#isResting = false
  }
}

/** Returns the health of a link by the state of its account. */
export function healthOf(given: {
  phase: 'new' | 'running' | 'stopping'
  state: AccountState
  isThrottled: boolean
  isBalanceLow: boolean
  areCallsMissing: boolean
  balance: Health['balance'] | null
  nowMs: number
}): Health {
  const { phase, state, isThrottled, isBalanceLow, areCallsMissing, balance, nowMs } = given
  const canSend = phase === 'running' && state.fault === null
  const lesser = [
    ...(isThrottled ? ['throttled'] : []),
    ...(isBalanceLow ? ['balance_low'] : []),
    ...(areCallsMissing ? ['callbacks_missing'] : []),
  ]
  const status =
    phase === 'new' ? 'pending' : !canSend ? 'offline' : lesser.length > 0 ? 'degraded' : 'online'
  return {
    status,
    reasons: phase !== 'running' ? [] : state.fault === null ? lesser : [state.fault.reason],
    link: canSend ? 'session' : 'none',
    lastSeenAt: canSend ? nowMs : state.lastSeenAt,
    nextContactExpectedBy: null,
    appVersion: null,
    battery: null,
    network: null,
    sims: [],
    ...(balance && { balance }),
    lastError:
      phase === 'new' || state.fault === null ? null : `${state.fault.reason}: ${state.fault.detail}`,
  }
}
