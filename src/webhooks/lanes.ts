/** Deliveries that are under way, endpoint by endpoint. */
interface Lane {
  open: number
  /** How many it may have open: grows with each that it takes quickly, falls to one when it does not. */
  window: number
}

/**
 * Says how much each endpoint may be given now. Each has a lane of its own that begins at one delivery and widens as it answers, so that those that
 * hang hold one connection each, at most half of all together, and take turns when they are more. What is beyond the first delivery of a lane takes at
 * most half as well: however many hang and however much the busy ones take, another one is told.
 */
export class Lanes {
  readonly #most: { inLane: number; connections: number }
  readonly #lanes = new Map<string, Lane>()
  /** Those that took nothing last, in good time or at all, with the turn when that was. */
  readonly #slow = new Map<string, number>()
  #turn = 0
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
    const lanes = [...this.#lanes].filter(([, { open }]) => open > 0)
    let free = this.#most.connections - this.#open
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

  /** `isQuick`: it took what it was told, and in good time; null when it was told nothing, which says nothing of it. */
  end(endpointId: string, isQuick: boolean | null): void {
    const lane = this.#lanes.get(endpointId)
    if (lane === undefined) return
    lane.open -= 1
    this.#open -= 1
    if (isQuick !== null) {
      lane.window = isQuick ? Math.min(this.#most.inLane, lane.window * 2) : 1
      this.#remember(endpointId, isQuick)
    }
    // One that is as new is forgotten: endpoints come and go.
    if (lane.open === 0 && lane.window === 1) this.#lanes.delete(endpointId)
  }

  #openOf(endpointId: string): number {
    return this.#lanes.get(endpointId)?.open ?? 0
  }

  /** Those that answered last or are new, as they come; then those that did not, the one that waits longest first. */
  #byTurn(endpointIds: readonly string[]): string[] {
    const turnOf = (id: string): number => this.#slow.get(id) ?? 0
    return endpointIds.toSorted((a, b) => turnOf(a) - turnOf(b))
  }

  /** The one that waits longest goes in front when there are more than are remembered. */
  #remember(endpointId: string, isQuick: boolean): void {
    this.#slow.delete(endpointId)
    if (isQuick) return
    this.#slow.set(endpointId, (this.#turn += 1))
    const [longest] = this.#slow.keys()
    if (longest !== undefined && this.#slow.size > maxRemembered) this.#slow.delete(longest)
  }
}

/** Endpoints come and go, and nobody says when they are gone: some 10 MB at the most. */
const maxRemembered = 100_000

const fresh = (): Lane => ({ open: 0, window: 1 })
