import type { Caller } from '../accounts/keys/authenticator.ts'
import { acceptedAs, type AcceptedAs } from '../messages/send/send-ids.ts'
import type { SendRequest, StoredSend } from '../messages/send/send-request.ts'
import type { Clock } from '../runtime/clock.ts'
import { Refusal, refuse } from '../runtime/errors.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import { AuthenticationRate, type AuthenticationRateDeps } from './authentication-rate.ts'
import { type Idempotency, KeysInProgress } from './idempotency.ts'
import { buildRequest, checkSend, type CheckedSend, type PrepareSendDeps } from './prepare-send.ts'
import { RecipientRate, type RecipientRateDeps } from './recipient-rate.ts'
import { explainSend, type SendRouting } from './explain-send.ts'
import type { SendPorts } from './send-ports.ts'

export interface SenderDeps {
  clock: Clock
  ids: PrepareSendDeps['ids']
  config: PrepareSendDeps['config'] & RecipientRateDeps['config'] & AuthenticationRateDeps['config']
  ports: SendPorts
  /** Shared by several nodes. Omitted where one node counts for itself. */
  counts?: SharedCounts
}

/** What only the unit knows that stores a send. */
export interface Accepted extends AcceptedAs {
  /** The balance after the send, and whether it is at or below its threshold. */
  balanceAvailable: number
  isLow: boolean
}

/**
 * Builds the response to a request before it is stored, except for what that adds: nothing can fail
 * afterwards.
 */
export type PrepareAnswer<T> = (request: SendRequest) => (accepted: Accepted) => T

export type Sent<T> = { kind: 'accepted'; answer: T } | { kind: 'replayed'; replay: StoredSend }

/** The only way to send, for every interface: checks, limits, price and store. One for each server. */
export class Sender {
  readonly #deps: SenderDeps
  readonly #keysInProgress = new KeysInProgress()
  readonly #authenticationRate: AuthenticationRate
  readonly #recipientRate: RecipientRate

  constructor(deps: SenderDeps) {
    this.#deps = deps
    this.#authenticationRate = new AuthenticationRate(deps)
    this.#recipientRate = new RecipientRate(deps)
  }

  /**
   * Checks a body (`SendBodySchema`), and stores it as one send with its messages and its hold; resolves
   * after the flush (P1). If its idempotency key was stored before, it returns that send (P3). Throws a
   * `Refusal` with all faults.
   */
  async send<T>(
    caller: Caller,
    body: object,
    idempotency: Idempotency | null,
    prepare: PrepareAnswer<T>,
  ): Promise<Sent<T>> {
    if (idempotency === null) return this.#send(caller, body, null, prepare)
    const used = { accountId: caller.accountId, mode: caller.mode, key: idempotency.key }
    return this.#keysInProgress.run(`${used.accountId}:${used.mode}:${used.key}`, async () => {
      try {
        return await this.#send(caller, body, idempotency, prepare)
      } catch (error) {
        // A send stored under the key takes precedence over any fault, but is looked up only if there is a
        // fault.
        const replay = error instanceof Refusal ? await this.#deps.ports.findReplay(used) : null
        if (replay === null) throw error
        return replayed(replay, idempotency)
      }
    })
  }

  /** Checks and prices a body as `send` does, and explains its ways, but stores nothing. */
  async dryRun<T>(
    caller: Caller,
    body: object,
    prepare: (request: SendRequest, routing: SendRouting[]) => (accepted: Accepted) => T,
  ): Promise<T> {
    const checked = await checkSend(this.#deps, caller, body)
    this.#authenticationRate.count(caller, checked)?.()
    const finishCount = await this.#countSend(caller, checked)
    finishCount(false)
    const request = buildRequest(this.#deps, caller, checked, null)
    const decision = await this.#deps.ports.priceOnly(request)
    if (decision.kind === 'refuse') throw refuse(decision.code, decision.extra)
    const routing = explainSend(this.#deps.ports, request, checked.choices)
    return prepare(
      request,
      routing,
    )({
      ...decision,
      ...request,
      acceptedAt: request.createdAt,
      dueAt: request.createdAt,
      updatedAt: request.createdAt,
    })
  }

  async #send<T>(
    caller: Caller,
    body: object,
    idempotency: Idempotency | null,
    prepare: PrepareAnswer<T>,
  ): Promise<Sent<T>> {
    const checked = await checkSend(this.#deps, caller, body)
    const noteForPumping = await this.#recipientRate.watch(caller, checked)
    const uncountCodes = this.#authenticationRate.count(caller, checked)
    let finishCount: ((isStored: boolean) => void) | null = null
    let stored = false
    try {
      finishCount = await this.#countSend(caller, checked)
      const request = buildRequest(this.#deps, caller, checked, idempotency)
      const answerWith = prepare(request)
      const result = await this.#deps.ports.store(request)
      if (result.kind === 'refused') throw refuse(result.code, result.extra)
      if (result.kind === 'replayed') return replayed(result.replay, idempotency)
      stored = true
      noteForPumping()
      const { place, ...money } = result
      return { kind: 'accepted', answer: answerWith({ ...money, ...acceptedAs(request, place) }) }
    } finally {
      finishCount?.(stored)
      if (!stored) uncountCodes?.()
    }
  }

  /** Counts a send at its send time; the function to call once with whether it was stored undoes it if not. */
  async #countSend(caller: Caller, checked: CheckedSend): Promise<(isStored: boolean) => void> {
    const nowMs = this.#deps.clock.now()
    const releaseCodes = await this.#authenticationRate.plan(caller, checked, nowMs)
    try {
      const finishCount = await this.#recipientRate.count(caller, checked, nowMs)
      return (isStored) => {
        releaseCodes?.()
        finishCount?.(isStored)
      }
    } catch (error) {
      releaseCodes?.()
      throw error
    }
  }
}

function replayed(replay: StoredSend, idempotency: Idempotency | null): Sent<never> {
  if (replay.fingerprint !== idempotency?.fingerprint) throw refuse('idempotency_key_reused')
  return { kind: 'replayed', replay }
}
