import type { CallbackUrls } from '../connectors/connector-tools.ts'
import { createHooks, type Hooks } from '../connectors/http/callbacks/hooks.ts'
import type { ProviderPorts } from '../connectors/http/callbacks/ports.ts'
import { httpKind } from '../connectors/http/http.ts'
import { HttpLink } from '../connectors/http/link.ts'
import { completeSettings } from '../connectors/http/request/build-request.ts'
import { declarationOf } from '../connectors/http/settings.ts'
import { openDeviceSecrets } from '../devices/core/device-secrets.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { InboundReceiver } from '../dispatch/inbound/inbound-receiver.ts'
import type { Dispatcher } from '../dispatch/submissions/dispatcher.ts'
import { createOutgoing, type Outgoing } from '../outgoing/create-outgoing.ts'
import { sendRequest } from '../outgoing/send-request.ts'
import { deviceSettings } from '../settings/device-settings.ts'
import { readJson } from '../storage/tables/json-columns.ts'
import type { Wiring } from './wiring.ts'

/** Returns the addresses that providers of devices call. */
export const createProviderHooks = ({ secret }: Pick<Wiring, 'secret'>): Hooks => createHooks(secret)

/** Returns where the provider of a device calls; null while the server has no public address. */
export const callbackUrlsOf =
  ({ config: { publicUrl } }: Pick<Wiring, 'config'>, hooks: Hooks, deviceId: string) =>
  (attemptId: string, generation: number): CallbackUrls | null => {
    if (publicUrl === null) return null
    const origin = publicUrl.replace(/\/+$/, '')
    return {
      status: origin + hooks.statusPathOf(deviceId, attemptId, generation),
      inbound: `${origin}${hooks.pathOf(deviceId, generation)}/inbound`,
    }
  }

/** What takes the reports of devices. */
export interface DeviceReports {
  receipt: Dispatcher['receipt']
  lateOutcome: Dispatcher['lateOutcome']
  inbound: InboundReceiver['receive']
}

/** A certificate has some 2 KB; what confirms a subscription answers in less. */
const mostBytes = 64 * 1024
/** A provider waits some seconds for its answer. */
const fetchTimeoutMs = 5_000

/** Fetches a text over HTTPS from a public address; null where it is not answered with 200. */
async function fetchText(outgoing: Outgoing, url: URL): Promise<string | null> {
  if (url.protocol !== 'https:') return null
  const sent = await sendRequest(
    {
      ...outgoing,
      allowedBy: deviceSettings.providerAllow.env,
      timeoutMs: fetchTimeoutMs,
      deadline: AbortSignal.timeout(fetchTimeoutMs),
      mayWrite: () => true,
      maxAnswerBytes: mostBytes,
    },
    { method: 'GET', url, headers: {}, body: null },
  )
  return sent.kind === 'answered' && sent.status === 200 ? sent.body : null
}

/** Returns what the routes of providers need; any node takes their calls, since they only write. */
export function createProviderPorts(
  { read, secretBox, unparsed, changes, config }: Wiring,
  { pool, receipt, lateOutcome, inbound }: DeviceReports & { pool: Pick<DevicePool, 'get'> },
): ProviderPorts {
  const outgoing = createOutgoing(config.providerAllow, deviceSettings.providerAllow.env)
  const linkOf = (deviceId: string): HttpLink | null => {
    const link = pool.get(deviceId)?.link
    return link instanceof HttpLink ? link : null
  }
  return {
    async account(deviceId) {
      const row = await read
        .selectFrom('devices')
        .select(['id', 'settings', 'secrets'])
        .where('id', '=', deviceId)
        .where('kind', '=', httpKind.kind)
        .where('state', '!=', 'retired')
        .executeTakeFirst()
      if (row === undefined) return null
      const settings = readJson(row.settings)
      const declaration = declarationOf(settings)
      if (declaration === null) return null
      return {
        deviceId,
        declaration,
        settings: completeSettings(declaration, settings),
        secrets: openDeviceSecrets(secretBox, row),
      }
    },
    called: (deviceId) => linkOf(deviceId)?.called(),
    async receipt(deviceId, given) {
      await receipt(deviceId, given)
      linkOf(deviceId)?.told(given.networkId)
    },
    late: lateOutcome,
    fetchText: (url) => fetchText(outgoing, url),
    inbound: (deviceId, message) => changes.after(inbound(deviceId, message), () => [null]),
    unparsed: (deviceId, kind, form) => unparsed.note(deviceId, kind, form),
  }
}
