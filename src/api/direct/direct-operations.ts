import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import type { Guard } from '../edge/guard.ts'
import { type Handled, newProgress } from '../edge/handled-request.ts'
import { parseJsonObject } from '../edge/json-body.ts'
import type { Operation } from '../edge/operation.ts'
import type { RecordRequest } from '../edge/record-request.ts'
import { errorReply, type ErrorReplyDeps, headersOf } from '../edge/respond.ts'
import type { RawResponse } from '../edge/response-text.ts'
import { runOperation } from '../edge/serve-operation.ts'
import type { WholeRequest } from './whole-request.ts'

export interface DirectOperationsDeps extends ErrorReplyDeps {
  clock: Pick<Clock, 'monotonicMs'>
  newRequestId: () => string
  record: RecordRequest
}

/** Responds to one whole request. Rejects only by a bug: what is thrown by an operation becomes a response. */
export type Respond = (request: WholeRequest, socket: Socket) => Promise<RawResponse>

/** The operations whose requests are read straight from the socket, with the same checks as through Fastify. */
export class DirectOperations {
  readonly #deps: DirectOperationsDeps
  readonly #responders = new Map<string, Respond>()
  /** The longest method and path, with the `?` or blank behind it. */
  #maxLineBytes = 0

  constructor(deps: DirectOperationsDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#responders.size === 0
  }

  /** Adds an operation whose path has no parameters. */
  add<Needs, Caller, Guarded>(
    operation: Operation<Needs, Caller> & Guarded,
    { guard, deps, isSend }: { guard: Guard<Caller, Guarded>; deps: Needs; isSend: boolean },
  ): void {
    const { method, path } = operation
    const line = `${method} ${path}`
    this.#maxLineBytes = Math.max(this.#maxLineBytes, line.length + 1)
    this.#responders.set(line, async (request, socket) => {
      const handled = this.#handledOf(request, socket, { route: path, isSend })
      const run = async () => {
        const caller = await guard.admit(operation, handled)
        const body = method === 'POST' ? parseJsonObject(request.body) : undefined
        return runOperation(operation, deps, handled, { caller, body, accountId: '' })
      }
      const reply = await run().catch((error: unknown) => errorReply(this.#deps, error, handled))
      this.#deps.record(handled, reply.status)
      return { status: reply.status, headers: headersOf(handled, reply), body: reply.body as string }
    })
  }

  /** Returns what responds to the request that begins with these bytes; null where nothing here does. */
  find(bytes: Buffer): Respond | null {
    const line = bytes.toString('latin1', 0, this.#maxLineBytes)
    const target = line.indexOf(' ') + 1
    const blank = line.indexOf(' ', target)
    const query = line.indexOf('?', target)
    const end = query === -1 || (blank !== -1 && blank < query) ? blank : query
    return end === -1 ? null : (this.#responders.get(line.slice(0, end)) ?? null)
  }

  #handledOf(
    { method, target, headers, rawHeaders }: WholeRequest,
    socket: Socket,
    known: { route: string; isSend: boolean },
  ): Handled {
    const { clock, newRequestId } = this.#deps
    return {
      id: newRequestId(),
      raw: { method, url: target, headers, rawHeaders, socket },
      progress: { ...newProgress(clock.monotonicMs()), ...known },
    }
  }
}
