import type { ConnectorEvents, DeviceSetup } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { Phone } from '../phone.ts'
import type { VisitFacts } from '../phone-health.ts'
import type { VisitPorts } from '../ports.ts'
import { readSettings } from '../settings.ts'
import { Visitor } from './visitor.ts'

/** A phone that onesixty visits, on one node at a time. Everything else about it is as for a phone that visits. */
export class VisitedPhone extends Phone {
  readonly leased = true
  readonly #visitor: Visitor
  #settings: ReturnType<typeof readSettings>

  constructor(
    deps: { tools: ConnectorTools; events: ConnectorEvents; ports: VisitPorts },
    { id, settings, secrets }: DeviceSetup,
  ) {
    super(deps, settings)
    this.#settings = readSettings(settings)
    this.#visitor = new Visitor({
      tools: deps.tools,
      ports: deps.ports,
      deviceId: id,
      password: secrets['local_password'] ?? '',
      phone: this,
      settings: () => this.#settings,
    })
  }

  protected override visits(nowMs: number): VisitFacts {
    return this.#visitor.facts(nowMs)
  }

  override async start(): Promise<void> {
    await super.start()
    this.#visitor.start()
  }

  override async stop(): Promise<void> {
    await this.#visitor.stop()
    await super.stop()
  }

  override applySettings(given: Readonly<Record<string, string>>): boolean {
    if (!super.applySettings(given)) return false
    this.#settings = readSettings(given)
    this.#visitor.settingsChanged()
    return true
  }

  override wake(): void {
    this.#visitor.wake()
  }

  override recall(): void {
    this.#visitor.wake()
  }
}
