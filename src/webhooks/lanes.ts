/** Deliveries that are under way, endpoint by endpoint. */
interface Lane {
  open: number
  /** How many it may have open: grows with each quick answer, falls to one when there is none. */
  window: number
}

/**
 * Says how much each endpoint may be given now. Each has a lane of its own that begins at one delivery and widens as it answers, so that those that
 * hang hold one connection each. Half of all connections are kept for the first delivery of a lane: however many the busy ones take, another one is told.
 */
export class Lanes {
  readonly #most: { inLane: number; connections: number }
  readonly #lanes = new Map<string, Lane>()
  #open = 0

  constructor(most: { inLane: number; connections: number }) {
    this.#most = most
  }

  get open(): number {
    return this.#open
  }

  /** How many deliveries each of these endpoints may be given: an even share of what is free. */
  share(endpointIds: readonly string[]): number[] {
    const half = Math.floor(this.#most.connections / 2)
    let firsts = half - [...this.#lanes.values()].filter(({ open }) => open > 0).length
    let others = half - (this.#open - (half - firsts))
    const even = Math.max(1, Math.floor(others / Math.max(1, endpointIds.length)))
    return endpointIds.map((id) => {
      const lane = this.#lanes.get(id) ?? fresh()
      const first = lane.open === 0 && firsts > 0 ? 1 : 0
      firsts -= first
      const room = lane.window - lane.open - first
      const more = lane.open + first === 0 ? 0 : Math.max(0, Math.min(room, even, others))
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

  /** `isQuick`: it answered, whatever it said, and in good time. */
  end(endpointId: string, isQuick: boolean): void {
    const lane = this.#lanes.get(endpointId)
    if (lane === undefined) return
    lane.open -= 1
    this.#open -= 1
    lane.window = isQuick ? Math.min(this.#most.inLane, lane.window * 2) : 1
    // One that is as new is forgotten: endpoints come and go.
    if (lane.open === 0 && lane.window === 1) this.#lanes.delete(endpointId)
  }
}

const fresh = (): Lane => ({ open: 0, window: 1 })
