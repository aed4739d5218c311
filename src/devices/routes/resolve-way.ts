import { createHash } from 'node:crypto'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'
import { type Stage, usualStages, type Way } from './way.ts'

/**
 * Returns the way that stages come out to for one message: of a stage with weights, the device that the message's ID
 * draws comes first. Drawn, not counted: weights hold over restarts and nodes, and a draw can be repeated. `stages`
 * null: no rule matches. `not`: devices that do not send to its number. Returns null for the usual way.
 */
export function resolveWay(
  stages: readonly RuleStageJson[] | null,
  { messageId, not }: { messageId: string; not: readonly string[] },
): Way | null {
  if (stages === null) return not.length === 0 ? null : { stages: usualStages, not }
  const resolved = stages.map((stage, i) => drawn(stage, messageId, i))
  return { stages: resolved, ...(not.length > 0 && { not: not.toSorted() }) }
}

/** The same stages with their devices as listed, in place of weights. */
export const asListed = (stages: readonly RuleStageJson[]): RuleStageJson[] =>
  stages.map((stage) => {
    const { weights, ...listed } = stage
    return weights === undefined ? stage : { ...listed, by: 'listed' }
  })

/** How many ways stages can come out to. */
export const outcomesOf = (stages: readonly RuleStageJson[]): number =>
  stages.reduce((product, { weights, use }) => product * (weights === undefined ? 1 : use.length), 1)

function drawn({ weights, by, ...stage }: RuleStageJson, messageId: string, place: number): Stage {
  if (weights === undefined) return { ...stage, ...(by !== undefined && { by }) }
  const first = drawFrom(weights, shareOf(messageId, place))
  const use = [stage.use[first] as string, ...stage.use.filter((_, i) => i !== first)]
  return { ...stage, use, by: 'drawn' }
}

/** The characters of an ID that stay when the message gets its place in the order of commits (`stampedId`). */
const lastingLength = 8

/** Returns a number from 0 to 1 that a message has for one stage. */
function shareOf(messageId: string, place: number): number {
  const hash = createHash('sha256')
    .update(`${place}/${messageId.slice(-lastingLength)}`)
    .digest()
  return hash.readUInt32BE(0) / 2 ** 32
}

function drawFrom(weights: readonly number[], share: number): number {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  let rest = share * sum
  for (const [i, weight] of weights.entries()) {
    rest -= weight
    if (rest < 0) return i
  }
  return weights.length - 1
}
