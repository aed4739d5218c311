import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OperatorCaller } from '../../accounts/keys/operator-tokens.ts'
import { refuse } from '../../runtime/errors.ts'
import { isId } from '../../runtime/ids.ts'
import type { Mount, MountTools } from '../edge/mount.ts'
import { referencePage } from '../pages/reference-page.ts'
import { templateOf } from '../reference/openapi-document.ts'
import { QueryReader } from '../edge/query.ts'
import type { Reply } from '../edge/respond.ts'
import { createOperatorGuard, type OperatorGuardDeps } from './guard.ts'
import { renderOperatorOpenApi } from './openapi.ts'
import type { OperatorDeps, OperatorOperation } from './operation.ts'
import { operatorOperations } from './operations.ts'

const base = '/operator'
const documentPath = `${base}/openapi.json`
const pagePath = `${base}/docs`
const pageMethods = ['GET', 'HEAD'] as const

/** Returns the mount of the operator API with its reference: outside of `/api/`, with its own tokens. */
export function createOperatorMount(deps: OperatorDeps & OperatorGuardDeps): Mount {
  return {
    path: base,
    known: new Map([...methodsByPath(), [documentPath, pageMethods], [pagePath, pageMethods]]),
    addTo(app, tools) {
      const guard = createOperatorGuard(deps)
      for (const operation of operatorOperations)
        app.route({
          method: operation.method,
          url: operation.path.slice(base.length),
          // Everything that needs no body is checked before the body is read.
          onRequest: async (request) => {
            if (accountIn(request) === null) throw refuse('not_found')
            callers.set(request, await guard.admit(operation, request))
          },
          handler: async (request, reply) => {
            await guard.admitAgain(operation, request)
            tools.respond(request, reply, await answer(deps, operation, request))
            return reply
          },
        })
      addPage(app, tools, documentPath, () => ({
        status: 200,
        contentType: 'application/json',
        body: renderOperatorOpenApi(deps.publicUrl()),
      }))
      addPage(app, tools, pagePath, () =>
        referencePage({
          title: 'Operator reference',
          document: documentPath,
          operations: operatorOperations.map(({ method, path, summary }) => ({
            method,
            path: templateOf(path),
            summary,
          })),
          credential: 'OPERATOR_TOKEN',
        }),
      )
    },
  }
}

/** Callers, between the guard and the handler. */
const callers = new WeakMap<FastifyRequest, OperatorCaller>()

/**
 * Returns the ID in the path, empty for paths without one; null when it is not an account ID: then the path
 * does not exist.
 */
function accountIn({ params }: FastifyRequest): string | null {
  const { account } = params as { account?: string }
  return account === undefined ? '' : isId('acc', account) ? account : null
}

function methodsByPath(): Map<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of operatorOperations) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}

async function answer(
  deps: OperatorDeps,
  operation: OperatorOperation,
  request: FastifyRequest,
): Promise<Reply> {
  const caller = callers.get(request)
  if (caller === undefined) throw new Error('The guard did not run.')
  const { url = '', headers } = request.raw
  const mark = url.indexOf('?')
  const rawQuery = mark === -1 ? '' : url.slice(mark + 1)
  if (operation.query === undefined || Object.keys(operation.query.properties).length === 0)
    new QueryReader(rawQuery, []).end()
  const given = await operation.handle(deps, {
    caller,
    accountId: accountIn(request) ?? '',
    rawQuery,
    body: request.body,
    headers,
  })
  return {
    status: given.status,
    contentType: 'application/json',
    body: JSON.stringify(given.body),
    ...(given.headers === undefined ? {} : { headers: given.headers }),
  }
}

function addPage(app: FastifyInstance, tools: MountTools, path: string, page: () => Reply): void {
  app.route({
    method: [...pageMethods],
    url: path.slice(base.length),
    handler: async (request, reply) => {
      tools.respond(request, reply, page())
      return reply
    },
  })
}
