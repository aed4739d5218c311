import type { FastifyInstance } from 'fastify'
import type { Mount, MountTools } from '../edge/mount.ts'
import { referencePage } from '../pages/reference-page.ts'
import { templateOf } from '../reference/openapi-document.ts'
import type { Reply } from '../edge/respond.ts'
import { serveOperation } from '../edge/serve-operation.ts'
import { createOperatorGuard, type OperatorGuardDeps } from './guard.ts'
import { renderOperatorOpenApi } from './openapi.ts'
import type { OperatorDeps } from './operation.ts'
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
        serveOperation(
          app,
          { guard, respond: tools.respond, deps },
          operation,
          operation.path.slice(base.length),
        )
      addPage(app, tools, documentPath, () => ({
        status: 200,
        contentType: 'application/json',
        body: renderOperatorOpenApi(deps.publicUrl()),
      }))
      addPage(app, tools, pagePath, () =>
        referencePage({
          title: 'Operator reference',
          path: '/operator/docs',
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

function methodsByPath(): Map<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of operatorOperations) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
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
