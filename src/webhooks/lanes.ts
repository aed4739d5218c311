/** Deliveries in flight to one endpoint. */
interface Lane {
  open: number
  /** Maximum deliveries in flight: doubles after each fast success, falls to one otherwise. */
  window: number
}

/**
 * Decides how many deliveries each endpoint gets now. The window of an endpoint begins at one delivery and
 * grows with its responses. Endpoints that hang hold one connection each, at most half of all connections
 * together, and take turns when there are more. Deliveries beyond the first of each endpoint take at most
 * half as well. So there is always room for another endpoint, however many hang and however many deliveries
 * the busy ones have.
 */
export class Lanes {
  readonly #limits: { inLane: number; connections: number }
  readonly #lanes = new Map<string, Lane>()
  /** Endpoints whose last delivery was slow or failed, with the turn when that was. */
  readonly #slow = new Map<string, number>()
  #turn = 0
  #open = 0

  constructor(limits: { inLane: number; connections: number }) {
    this.#limits = limits
  }

  get open(): number {
    return this.#open
  }

  /** Returns the number of deliveries for each of these endpoints: an even share of the free connections. */
  share(endpointIds: readonly string[]): number[] {
    const half = Math.floor(this.#limits.connections / 2)
    const lanes = [...this.#lanes].filter(([, { open }]) => open > 0)
    let free = this.#limits.connections - this.#open
    let slow = half - lanes.filter(([id]) => this.#slow.has(id)).length
    const firsts = new Set<string>()
    for (const id of this.#byTurn(endpointIds.filter((each) => this.#openOf(each) === 0))) {
      const isSlow = this.#slow.has(id)
      if (free <= 0 || (isSlow && slow <= 0)) break
      firsts.add(id)
      free -= 1
      if (isSlow) slow -= 1
    }
    let others = Math.min(free, half - (this.#open - lanes.length))
    const even = Math.max(1, Math.floor(others / Math.max(1, endpointIds.length)))
    return endpointIds.map((id) => {
      const first = firsts.has(id) ? 1 : 0
      const open = this.#openOf(id) + first
      const room = (this.#lanes.get(id) ?? fresh()).window - open
      const more = open === 0 ? 0 : Math.max(0, Math.min(room, even, others))
      others -= more
      return first + more
    })
  }

  begin(endpointId: string): void {
    const lane = this.#lanes.get(endpointId) ?? fresh()
    this.#lanes.set(endpointId, lane)
    lane.open += 1
    this.#open += 1
  }

  /**
   * `isQuick`: the delivery was accepted in time. Null when nothing was sent, which says nothing about the
   * endpoint.
   */
  end(endpointId: string, isQuick: boolean | null): void {
    const lane = this.#lanes.get(endpointId)
    if (lane === undefined) return
    lane.open -= 1
    this.#open -= 1
    if (isQuick !== null) {
      lane.window = isQuick ? Math.min(this.#limits.inLane, lane.window * 2) : 1
      this.#remember(endpointId, isQuick)
    }
    // An endpoint in its initial state is evicted: endpoints come and go.
    if (lane.open === 0 && lane.window === 1) this.#lanes.delete(endpointId)
  }

  #openOf(endpointId: string): number {
    return this.#lanes.get(endpointId)?.open ?? 0
  }

  /**
   * Endpoints that responded last or are new, in the given order; then the slow ones, longest waiting first.
   */
  #byTurn(endpointIds: readonly string[]): string[] {
    const turnOf = (id: string): number => this.#slow.get(id) ?? 0
    return endpointIds.toSorted((a, b) => turnOf(a) - turnOf(b))
  }

  /** Evicts the longest waiting endpoint when there are too many; it then counts as new. */
  #remember(endpointId: string, isQuick: boolean): void {
    this.#slow.delete(endpointId)
    if (isQuick) return
    this.#slow.set(endpointId, (this.#turn += 1))
    const [longest] = this.#slow.keys()
    if (longest !== undefined && this.#slow.size > maxRemembered) this.#slow.delete(longest)
  }
}

/** Endpoints come and go without notice: at most about 10 MB. */
const maxRemembered = 100_000

const fresh = (): Lane => ({ open: 0, window: 1 })
