import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { DirectOperations } from './direct/direct-operations.ts'
import { declarationSchemaPath, renderDeclarationSchema } from '../connectors/providers.ts'
import { serveOperation } from './edge/serve-operation.ts'
import { type ApiGuardDeps, createApiGuard } from './v1/guard.ts'
import { operations, type OperationDeps } from './v1/operations.ts'
import type { ApiOperation } from './v1/operation.ts'
import { KnownPaths } from './edge/known-paths.ts'
import { renderOpenApi } from './reference/openapi.ts'
import { assetNames, createAssets } from './pages/assets.ts'
import { guidePath } from '../process/guides.ts'
import { createGuides, guideIndexPage, guideNames } from './pages/guide-pages.ts'
import { homePage } from './pages/home-page.ts'
import { healthPage, metricsPage, type Readiness, readinessPage } from './pages/machine-pages.ts'
import { problemCodes, problemIndexPage, problemPage } from './pages/problem-pages.ts'
import { referencePage } from './pages/reference-page.ts'
import type { Reply, Respond } from './edge/respond.ts'

export interface RouteDeps extends ApiGuardDeps {
  config: ApiGuardDeps['config'] & Pick<Config, 'metricsToken'>
  operations: OperationDeps
  publicUrl: () => string
  readiness: () => Promise<Readiness>
  metrics: { text(): Promise<string> }
  respond: Respond
  /** Reads ordinary requests for the operations straight from their connections; null leaves all to Node. */
  direct: DirectOperations | null
  /** False for a server that serves only health, readiness and metrics. Default: true. */
  servesApi?: boolean
  /** False for a server of mounts alone. Default: true. */
  servesPages?: boolean
  /** True when the console is mounted at `/`; otherwise a page with first steps is served there. */
  hasConsole: boolean
}

/** Adds all routes of the API and its pages. Returns the paths with their methods. */
export function addRoutes(app: FastifyInstance, deps: RouteDeps): KnownPaths {
  const known = new KnownPaths()
  const guard = createApiGuard(deps)
  const { publicUrl } = deps

  function serve<Needs>(operation: ApiOperation<Needs>, needs: Needs): void {
    known.add(operation.path, [operation.method])
    serveOperation(app, { guard, respond: deps.respond, deps: needs }, operation)
    deps.direct?.add(operation, { guard, deps: needs, isSend: operation.kind === 'send' })
  }
  function page(path: string, answer: (request: FastifyRequest) => Reply | Promise<Reply>): void {
    known.add(path, ['GET', 'HEAD'])
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        deps.respond(request, reply, await answer(request))
        return reply
      },
    })
  }

  if (deps.servesPages === false) return known
  page('/healthz', healthPage)
  page('/readyz', async () => readinessPage(await deps.readiness()))
  page('/metrics', ({ raw }) =>
    metricsPage({ text: deps.metrics.text, token: deps.config.metricsToken }, raw),
  )
  if (deps.servesApi === false) return known

  serve(operations.send, deps.operations.send)
  serve(operations.status, deps.operations.status)
  serve(operations.balance, deps.operations.balance)
  serve(operations.history, deps.operations.history)

  if (!deps.hasConsole) page('/', () => homePage(publicUrl()))
  page('/docs', () => referencePage(reference))
  page('/docs/', () => redirectTo('/docs'))
  page('/docs/problems', problemIndexPage)
  page('/docs/problems/', () => redirectTo('/docs/problems'))
  page('/docs/guides', guideIndexPage)
  page('/docs/guides/', () => redirectTo('/docs/guides'))
  const guide = createGuides()
  for (const name of guideNames) page(guidePath(name), () => guide(name))
  for (const code of problemCodes) page(`/docs/problems/${code}`, () => problemPage(code, publicUrl()))
  const asset = createAssets()
  for (const name of assetNames) page(`/docs/assets/${name}`, ({ raw }) => asset(name, raw.headers))
  page('/openapi.json', () => ({
    status: 200,
    contentType: 'application/json',
    body: renderOpenApi(publicUrl()),
  }))
  page(declarationSchemaPath, () => ({
    status: 200,
    contentType: 'application/schema+json',
    body: renderDeclarationSchema(publicUrl()),
  }))
  return known
}

const reference = {
  title: 'API reference',
  path: '/docs',
  document: '/openapi.json',
  operations: Object.values(operations),
  credential: 'API_KEY',
}

const redirectTo = (location: string): Reply => ({
  status: 308,
  contentType: 'text/plain',
  body: '',
  headers: { location },
})
