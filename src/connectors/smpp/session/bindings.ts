import type { ConnectorTools } from '../../connector-tools.ts'
import { Binding, type BindingState } from './binding.ts'
import type { ReconnectPolicy } from './reconnect-policy.ts'
import type { Session } from './session.ts'

export type Role = 'transceiver' | 'transmitter' | 'receiver'

interface Deps {
  tools: Pick<ConnectorTools, 'monotonicMs' | 'schedule' | 'random' | 'counters' | 'lastSession'>
  policy: ReconnectPolicy
  createSession(role: Role): Session
  changed(): void
}

interface RoleBinding {
  role: Role
  binding: Binding
}

/** The sessions of a link, each maintained independently: when one is lost, another may carry on. */
export class Bindings {
  readonly #roleBindings: readonly RoleBinding[]

  /** Creates one session per role. */
  constructor(deps: Deps, roles: readonly Role[]) {
    this.#roleBindings = roles.map((role) => ({
      role,
      binding: new Binding({ ...deps, createSession: () => deps.createSession(role) }),
    }))
  }

  start(): void {
    for (const { binding } of this.#roleBindings) binding.start()
  }

  /** Creates no new sessions; the existing ones stay. */
  bindNoMore(): void {
    for (const { binding } of this.#roleBindings) binding.bindNoMore()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#roleBindings.map(({ binding }) => binding.stop()))
  }

  get states(): { role: Role; state: BindingState }[] {
    return this.#roleBindings.map(({ role, binding }) => ({ role, state: binding.state }))
  }

  /** Requests that would be sent immediately, over all sessions. */
  get room(): number {
    return this.#submitting.reduce((sum, { session }) => sum + session.room, 0)
  }

  /** The session with the most room, with its binding; null when none may submit. */
  get roomiest(): { session: Session; binding: Binding } | null {
    const waitsLess = (a: Session, b: Session): boolean =>
      a.room === b.room ? a.openRequests.waiting < b.openRequests.waiting : a.room > b.room
    return this.#submitting.reduce<{ session: Session; binding: Binding } | null>(
      (best, each) => (best === null || waitsLess(each.session, best.session) ? each : best),
      null,
    )
  }

  setWindow(window: number): void {
    for (const { binding } of this.#roleBindings) binding.setWindow(window)
  }

  get #submitting(): { session: Session; binding: Binding }[] {
    return this.#roleBindings.flatMap(({ role, binding }) => {
      const session = binding.trustedSession
      return role === 'receiver' || session === null ? [] : [{ session, binding }]
    })
  }
}

/** The roles of a link with this many sessions; a pair is two binds. */
export function rolesOf(bind: Role | 'pair', sessions: number): Role[] {
  const each: readonly Role[] = bind === 'pair' ? ['transmitter', 'receiver'] : [bind]
  return Array.from({ length: sessions }, () => each).flat()
}
