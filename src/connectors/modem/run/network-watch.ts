import type { Health } from '../../health.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { Ask } from '../at/ask.ts'
import { readOperator, readRegistration, readSignal } from '../setup/registration.ts'
import { readServiceCentre } from '../setup/service-centre.ts'

export interface NetworkSettings {
  /** The service centre that is written into each PDU; null leaves it to the SIM. */
  serviceCentre: string | null
  /** What is done about a modem that finds no network by itself. */
  recover: 'radio' | 'none'
}

interface Deps {
  ask: Ask
  tools: Pick<ConnectorTools, 'now' | 'monotonicMs' | 'schedule' | 'log'>
  settings: NetworkSettings
}

/** What hardly ever changes is read this often: a service centre may vanish (home-assistant/core 67449). */
const seldomMs = 3_600_000
/** A modem that has lost its network for this long does not come back by itself (home-assistant/core 71162). */
const lostMs = 300_000
/** Where the first time did not help, the network may be away. */
const recoverAgainMs = 1_800_000

/** What a modem says about its network on one line. Its calls must not overlap. */
export class NetworkWatch {
  readonly #deps: Deps
  #network: Health['network'] = null
  #hasServiceCentre = true
  #readSeldomAtMs = Number.NEGATIVE_INFINITY
  #recoverAtMs: number | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Null before it was read. */
  get network(): Health['network'] {
    return this.#network
  }

  /** False only where the modem says that it has none. */
  get hasServiceCentre(): boolean {
    return this.#hasServiceCentre
  }

  /** The modem was made ready, which has read this. */
  broughtUp({ hasServiceCentre }: { hasServiceCentre: boolean }): void {
    this.#hasServiceCentre = hasServiceCentre
    this.#readSeldomAtMs = this.#deps.tools.monotonicMs()
  }

  async look(): Promise<void> {
    const { ask, tools } = this.#deps
    const { registered, roaming } = await readRegistration(ask)
    const signalDbm = await readSignal(ask)
    const isSeldomDue = tools.monotonicMs() - this.#readSeldomAtMs >= seldomMs
    const before = this.#network
    const isMoved = before?.registered !== registered || before.roaming !== roaming
    const operator = isSeldomDue || isMoved ? await readOperator(ask) : (before?.operator ?? null)
    if (isSeldomDue || !this.#hasServiceCentre) await this.#readServiceCentre()
    if (isSeldomDue) this.#readSeldomAtMs = tools.monotonicMs()
    this.#network = { registered, roaming, operator, signalDbm, transport: null, at: tools.now() }
    await this.#recover(registered === false)
  }

  async #readServiceCentre(): Promise<void> {
    const { settings, ...deps } = this.#deps
    this.#hasServiceCentre = settings.serviceCentre !== null || (await readServiceCentre(deps)) !== 'missing'
  }

  /** Switches the radio off and on; not the modem, which might come back under another path. */
  async #recover(isLost: boolean): Promise<void> {
    const { ask, tools, settings } = this.#deps
    const nowMs = tools.monotonicMs()
    if (!isLost) this.#recoverAtMs = null
    else this.#recoverAtMs ??= nowMs + lostMs
    if (this.#recoverAtMs === null || nowMs < this.#recoverAtMs || settings.recover === 'none') return
    this.#recoverAtMs = nowMs + recoverAgainMs
    tools.log('warn', 'a modem finds no network: its radio is switched off and on')
    await ask('AT+CFUN=4')
    await ask('AT+CFUN=1')
  }
}
