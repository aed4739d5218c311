import type { ConnectorTools, LocalDevices } from '../../connector-tools.ts'
import { textOf, isRecord } from '../route.ts'
import { readSettings } from '../settings.ts'
import { defaultPort, readLocalAddress } from './local-address.ts'
import { LocalApi } from './local-api.ts'
import { exchange } from './local-http.ts'
import { maskedSims } from './masked-sims.ts'
import { VisitFailed } from './visit-failed.ts'

/** How many addresses are asked at the same time, and how long each: a /24 takes 3 s. */
const askedAtOnce = 64
const findTimeoutMs = 700

export const localDevices: LocalDevices = {
  defaultPort,

  async greet(settings, tools) {
    const { version } = await apiAt({ settings, secrets: {} }, tools).health()
    return { appVersion: version }
  },

  async look(given, tools) {
    const api = apiAt(given, tools)
    const { version } = await api.health()
    const { id, name, sims } = await api.device()
    return { settings: { local_id: id }, name, appVersion: version, sims: maskedSims(sims) }
  },

  async find(addresses, tools) {
    const found: { address: string; appVersion: string }[] = []
    const left = [...addresses]
    const ask = async (): Promise<void> => {
      for (let address = left.shift(); address !== undefined; address = left.shift()) {
        const appVersion = await versionAt(address, tools)
        if (appVersion !== null) found.push({ address, appVersion })
      }
    }
    await Promise.all(Array.from({ length: askedAtOnce }, ask))
    return found.toSorted((a, b) => addresses.indexOf(a.address) - addresses.indexOf(b.address))
  },
}

function apiAt(
  { settings, secrets }: Parameters<LocalDevices['look']>[0],
  tools: Pick<ConnectorTools, 'schedule'>,
): LocalApi {
  const { local } = readSettings(settings)
  if (local === null) throw new VisitFailed('unreachable')
  return new LocalApi({
    tools,
    address: local.address,
    user: local.user,
    password: secrets['local_password'] ?? '',
    mayCall: () => true,
  })
}

/** Asks `GET /health` alone, which needs no password. Null where the app does not answer. */
async function versionAt(
  address: string,
  { schedule }: Pick<ConnectorTools, 'schedule'>,
): Promise<string | null> {
  const where = readLocalAddress(address)
  if (where === null) return null
  const asked = { method: 'GET', path: '/health', login: null } as const
  const answer = await exchange({ schedule, timeoutMs: findTimeoutMs }, where, asked).catch(() => null)
  const json = answer?.json
  return isRecord(json) && isRecord(json['checks']) ? textOf(json['version'], 64) : null
}
