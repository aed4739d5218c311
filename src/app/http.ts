import { explainQuestion } from '../dispatch/routes/explain-question.ts'
import { poolDevices } from '../dispatch/devices/explain-on-pool.ts'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { deriveKey } from '../runtime/derived-keys.ts'
import type { Authenticator } from '../accounts/keys/authenticator.ts'
import { AccountLimits } from '../sending/account-limits.ts'
import { createConsolePages } from '../api/console/pages.ts'
import type { Mount } from '../api/edge/mount.ts'
import type { Readiness } from '../api/pages/machine-pages.ts'
import { createOperatorMount } from '../api/operator/mount.ts'
import { createServer } from '../api/server.ts'
import { Sender } from '../sending/sender.ts'
import type { PhonePorts } from '../connectors/android/ports.ts'
import { createPhoneRoutes } from '../connectors/android/routes.ts'
import type { ProviderPorts } from '../connectors/http/callbacks/ports.ts'
import { createProviderRoutes } from '../connectors/http/callbacks/routes.ts'
import { createProviderHooks } from './providers.ts'
import { createConsole } from './console.ts'
import { createPhoneListener } from './phone-listener.ts'
import { createPhoneRoot } from '../api/pages/phone-root.ts'
import { readOwnRoot, readPhoneCertificate } from '../certificates/certificate-store.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import { endAll, type Service } from '../process/lifecycle.ts'
import { openAccount } from './open-account.ts'
import { createOpenReach } from './open-reach.ts'
import { createReachProof } from '../reach/reach-proof.ts'
import { ownAddress, phoneOrigin } from '../process/own-address.ts'
import { recordNodeCertificate } from '../storage/instance/node-certificates.ts'
import { createSendPorts } from './send-ports.ts'
import type { Wiring } from './wiring.ts'

/** Returns the dependencies of the read operations. */
function createReadDeps({ storage: { readOf }, clock, secret }: Wiring) {
  return {
    status: { readOf, now: clock.now },
    balance: { readOf, now: clock.now },
    history: {
      readOf,
      cursorKey: deriveKey(secret.current, 'history-cursor'),
    },
  }
}

/** Mounts the operator API, which is separate from the API of accounts. */
const createOperatorApi = (wiring: Wiring, pool: DevicePool, publicUrl: () => string): Mount =>
  createOperatorMount({
    ...wiring,
    priorityRead: wiring.storage.priorityRead,
    publicUrl,
    explainRoute: (question) =>
      explainQuestion({ read: wiring.storage.read, routes: pool.routes }, question, (route) =>
        poolDevices(pool, route),
      ),
    openAccount: (tx, nowMs, account) => openAccount(tx, { ...wiring, nowMs, randomBytes }, account),
  })

/** Asks the database whether this node can serve, and lists what keeps it from that. */
async function readReadiness({ storage, lifecycle }: Wiring): Promise<Readiness> {
  await storage.priorityRead.selectFrom('instance').select('id').executeTakeFirst()
  const reasons: string[] = []
  if (!lifecycle.ready) reasons.push('starting or stopping')
  if (storage.writer.trouble() !== null) reasons.push('the database accepts no writes')
  if ((storage.damage?.found ?? null) !== null) reasons.push('the database is damaged')
  return { ready: reasons.length === 0, reasons }
}

interface HttpParts {
  authenticator: Authenticator
  pool: DevicePool
  wake: (route: Route) => void
  phones: PhonePorts
  providers: ProviderPorts
}

/** Returns the routes that providers of devices call. */
const createRoutesOfProviders = (wiring: Wiring, ports: ProviderPorts, publicUrl: () => string): Mount =>
  createProviderRoutes({ ports, hooks: createProviderHooks(wiring), clock: wiring.clock, publicUrl })

/** Creates the HTTP server as a service. */
export function createHttp(
  wiring: Wiring,
  { authenticator, pool, wake, phones, providers }: HttpParts,
): Service & { url(): string } {
  const { config, log, clock, ids, metrics } = wiring
  const url = (): string => ownAddress(config, (server.server.address() as AddressInfo | null)?.port)
  const servesApi = config.roles.includes('api')
  const consolePages = createConsolePages()
  const sender = new Sender({
    counts: wiring.counts,
    clock,
    ids,
    config,
    ports: createSendPorts(wiring, pool, wake),
  })
  const limits = new AccountLimits({ clock, config, counts: wiring.counts })
  const phoneRoutes = createRoutesOfPhones(wiring, phones, url)
  const deps = {
    limits,
    config,
    servesApi,
    hasConsole: consolePages !== null,
    clock,
    ids,
    log,
    metrics,
    authenticator,
    counts: wiring.counts,
    publicUrl: url,
    tls: wiring.tls,
    mounts: servesApi
      ? [
          // A proxy may have a certificate of its own.
          phoneRoutes(() => null),
          createRoutesOfProviders(wiring, providers, url),
          createOperatorApi(wiring, pool, url),
          createConsole(wiring, { pool, sender, limits, publicUrl: url }),
          ...(consolePages === null ? [] : [consolePages]),
        ]
      : [],
    readiness: () => readReadiness(wiring),
    operations: { send: { sender }, ...createReadDeps(wiring) },
  }
  const server = createServer(deps)
  const phoneListener = servesApi
    ? createListenerOfPhones(wiring, (tls, certificateUntilMs) =>
        createPhoneServer({ ...deps, tls }, [
          phoneRoutes(certificateUntilMs),
          createPhoneRoot(() => readRootFor(config)),
        ]),
      )
    : null
  return { url, ...bothListeners(server, phoneListener, config) }
}

/** Creates the server of the second listener, which has the routes of phones and no others. */
const createPhoneServer = (deps: Parameters<typeof createServer>[0], mounts: readonly Mount[]) =>
  createServer({ ...deps, servesPages: false, hasConsole: false, mounts })

/** Returns the root in PEM that phones install; null while the CA of the app signs. */
async function readRootFor({ dataFolder }: Wiring['config']): Promise<string | null> {
  const made = await readPhoneCertificate(dataFolder)
  return made?.source === 'own' ? ((await readOwnRoot(dataFolder))?.certificate ?? null) : null
}

/** Creates the second listener, of whose certificate the other nodes know. */
const createListenerOfPhones = (wiring: Wiring, create: Parameters<typeof createPhoneListener>[1]) =>
  createPhoneListener(
    { ...wiring, record: (made) => recordNodeCertificate(wiring, wiring.node.epoch, made) },
    create,
  )

/**
 * Returns the routes of phones for each listener; phones get the address of the second one if there is one. Openings of
 * links are counted over both.
 */
function createRoutesOfPhones(wiring: Wiring, ports: PhonePorts, url: () => string) {
  const { config, clock, secret } = wiring
  const answerReach = createReachProof(secret).answerTo
  const openReach = createOpenReach(wiring)
  return (certificateUntilMs: () => number | null) =>
    createPhoneRoutes({
      ports,
      clock,
      publicUrl: () => phoneOrigin(config, url()),
      answerReach,
      openReach,
      certificateUntilMs,
    })
}

/** Starts and stops the server along with its listener for phones. */
const bothListeners = (
  server: ReturnType<typeof createServer>,
  phoneListener: Service | null,
  { host, port }: Pick<Wiring['config'], 'host' | 'port'>,
): Service => ({
  async start() {
    await server.listen({ host, port })
    await phoneListener?.start().catch(async (error: unknown) => {
      await server.close()
      throw error
    })
  },
  stop: () => endAll([async () => phoneListener?.stop(), () => server.close()]),
})
