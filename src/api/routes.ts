import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { createGuard, type GuardDeps } from './edge/guard.ts'
import type { Operation } from './edge/operation.ts'
import { operations, type OperationDeps } from './v1/operations.ts'
import { KnownPaths } from './edge/known-paths.ts'
import { renderOpenApi } from './reference/openapi.ts'
import { assetNames, createAssets } from './pages/assets.ts'
import { homePage } from './pages/home-page.ts'
import { healthPage, metricsPage, type Readiness, readinessPage } from './pages/machine-pages.ts'
import { problemCodes, problemIndexPage, problemPage } from './pages/problem-pages.ts'
import { referencePage } from './pages/reference-page.ts'
import { QueryReader } from './edge/query.ts'
import type { Reply, Respond } from './edge/respond.ts'

export interface RouteDeps extends GuardDeps {
  config: GuardDeps['config'] & Pick<Config, 'metricsToken'>
  operations: OperationDeps
  publicUrl: () => string
  readiness: () => Promise<Readiness>
  metrics: { text(): Promise<string> }
  respond: Respond
  /** False for a server that serves only health, readiness and metrics. Default: true. */
  servesApi?: boolean
  /** True when the console is mounted at `/`; otherwise a page with first steps is served there. */
  hasConsole: boolean
}

/** Adds all routes of the API and its pages. Returns the paths with their methods. */
export function addRoutes(app: FastifyInstance, deps: RouteDeps): KnownPaths {
  const known = new KnownPaths()
  const guard = createGuard(deps)
  const { publicUrl } = deps

  function serve<Needs>(operation: Operation<Needs>, needs: Needs): void {
    known.add(operation.path, [operation.method])
    app.route({
      method: operation.method,
      url: operation.path,
      onRequest: (request) => guard.admit(operation, request),
      handler: async (request, reply) => {
        await guard.admitAgain(operation, request)
        const answer = await handle(operation, needs, request)
        deps.respond(request, reply, answer)
        return reply
      },
    })
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
  for (const code of problemCodes) page(`/docs/problems/${code}`, () => problemPage(code, publicUrl()))
  const asset = createAssets()
  for (const name of assetNames) page(`/docs/assets/${name}`, ({ raw }) => asset(name, raw.headers))
  page('/openapi.json', () => ({
    status: 200,
    contentType: 'application/json',
    body: renderOpenApi(publicUrl()),
  }))
  return known
}

async function handle<Needs>(
  operation: Operation<Needs>,
  needs: Needs,
  request: FastifyRequest,
): Promise<Reply> {
  const { progress, id, body, raw } = request
  const { caller } = progress
  if (caller === null) throw new Error('The guard did not run.')
  const rawQuery = queryOf(raw.url ?? '')
  if (operation.query === undefined) new QueryReader(rawQuery, []).end()
  const answer = await operation.handle(needs, {
    caller,
    requestId: id,
    rawQuery,
    body,
    headers: raw.headers,
  })
  return {
    status: answer.status,
    contentType: 'application/json',
    body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
    ...(answer.headers === undefined ? {} : { headers: answer.headers }),
  }
}

const reference = {
  title: 'API reference',
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

const queryOf = (url: string): string => {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
