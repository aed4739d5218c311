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

/** One for each draw of each rule in use (64 at most of a rule), and for each list of devices that do not send to a number; others are made again. */
const maxWays = 20_000

/**
 * The ways that stages came out to: their texts and IDs are made once for each draw, not for each message, which takes 15 µs.
 * Stages are known by their identity: rules that are read again have others.
 */
export class DrawnWays {
  readonly #known = new BoundedMap<DrawnWay>(maxWays)
  readonly #numbers = new WeakMap<readonly object[], number>()
  #lastNumber = 0

  /** Returns the way of a message, by what its ID draws. `stages` null: no rule matches. */
  of(stages: readonly RuleStageJson[] | null, messageId: string, not: readonly string[]): DrawnWay {
    const draws = drawsOf(stages, messageId)
    const name = `${this.#numberOf(stages ?? usualStages)}/${draws.join(',')}/${not.join(',')}`
    const found = this.#known.get(name)
    if (found !== undefined) return found
    const way = wayOfDraws(stages, { draws, not })
    const id = wayId(way)
    const drawn = { name: id, way, written: { id, text: wayText(way) } }
    this.#known.set(name, drawn)
    return drawn
  }

  #numberOf(stages: readonly object[]): number {
    const number = this.#numbers.get(stages) ?? (this.#lastNumber += 1)
    this.#numbers.set(stages, number)
    return number
  }
}
