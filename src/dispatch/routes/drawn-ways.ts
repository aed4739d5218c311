import { drawsOf, wayOfDraws } from '../../devices/routes/resolve-way.ts'
import { usualStages, type Way, wayId, wayText } from '../../devices/routes/way.ts'
import type { WrittenWay } from '../../devices/routes/ways-store.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'

/** The way of one message. */
export interface DrawnWay {
  /** As in the key of its route. */
  name: string
  way: Way
  /** To be stored with the message. */
  written: WrittenWay
}

/** Of the stages of one rule: one for each of its draws, and for each list of devices that do not send to a number. */
const maxOfRule = 1_000

/**
 * The ways that stages came out to: their texts and IDs are made once for each draw, not for each message, which takes 15 µs.
 * Stages are known by their identity: rules that are read again have others.
 */
export class DrawnWays {
  readonly #ofStages = new WeakMap<readonly object[], BoundedMap<DrawnWay>>()

  /** Returns the way of a message, by what its ID draws. `stages` null: no rule matches. */
  of(stages: readonly RuleStageJson[] | null, messageId: string, not: readonly string[]): DrawnWay {
    const draws = drawsOf(stages, messageId)
    const known = this.#knownOf(stages ?? usualStages)
    const name = `${draws.join(',')}/${not.join(',')}`
    const found = known.get(name)
    if (found !== undefined) return found
    const way = wayOfDraws(stages, { draws, not })
    const id = wayId(way)
    const drawn = { name: id, way, written: { id, text: wayText(way) } }
    known.set(name, drawn)
    return drawn
  }

  #knownOf(stages: readonly object[]): BoundedMap<DrawnWay> {
    const known = this.#ofStages.get(stages) ?? new BoundedMap(maxOfRule)
    this.#ofStages.set(stages, known)
    return known
  }
}
