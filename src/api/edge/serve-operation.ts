import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../../runtime/errors.ts'
import { isId } from '../../runtime/ids.ts'
import type { Guard } from './guard.ts'
import type { Handled } from './handled-request.ts'
import type { Call, Operation } from './operation.ts'
import { QueryReader } from './query.ts'
import { queryOf } from './request-target.ts'
import type { Reply, Respond } from './respond.ts'

/**
 * Adds the route of one operation at `url`: its checks, first those that need no body, then the operation.
 * The caller of a GET request is that of the first check, and that of a POST request the one of the second.
 */
export function serveOperation<Deps, Caller, Guarded>(
  app: FastifyInstance,
  { guard, respond, deps }: { guard: Guard<Caller, Guarded>; respond: Respond; deps: Deps },
  operation: Operation<Deps, Caller> & Guarded,
  url: string = operation.path,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.route({
    method: operation.method,
    url,
    onRequest: async (request) => {
      if (accountIn(request) === null) throw refuse('not_found')
      const caller = await guard.admit(operation, request)
      if (operation.method === 'GET') callers.set(request, caller)
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? (await guard.admitAgain(operation, request))
      const { body } = request
      const call = { caller, body, accountId: accountIn(request) ?? '' }
      respond(request, reply, await runOperation(operation, deps, request, call))
      return reply
    },
  })
}

/**
 * Returns the account ID in the path, empty for paths without one; null when it is not an account ID: then
 * the path does not exist.
 */
function accountIn({ params }: FastifyRequest): string | null {
  const { account } = params as { account?: string }
  return account === undefined ? '' : isId('acc', account) ? account : null
}

/** Runs an operation for a request that was admitted. Returns its response, or throws a `Refusal`. */
export async function runOperation<Deps, Caller>(
  operation: Operation<Deps, Caller>,
  deps: Deps,
  { id, raw }: Pick<Handled, 'id' | 'raw'>,
  call: Pick<Call<Caller>, 'caller' | 'body' | 'accountId'>,
): Promise<Reply> {
  const rawQuery = queryOf(raw.url ?? '')
  if (!hasParameters(operation.query)) new QueryReader(rawQuery, []).end()
  const { status, body, headers } = await operation.handle(deps, {
    ...call,
    requestId: id,
    rawQuery,
    headers: raw.headers,
  })
  return {
    status,
    contentType: 'application/json',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(headers === undefined ? {} : { headers }),
  }
}

const hasParameters = (query: Operation<never, never>['query']): boolean =>
  Object.keys(query?.properties ?? {}).length > 0
