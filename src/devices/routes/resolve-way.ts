import { hash } from 'node:crypto'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'
import { type Stage, usualStages, type Way } from './way.ts'

/**
 * Returns which device of each stage the ID of a message draws, by its place in `use`; 0 for stages without weights. Drawn, not
 * counted: weights hold over restarts and nodes, and a draw can be repeated. `stages` null: no rule matches.
 */
export const drawsOf = (stages: readonly RuleStageJson[] | null, messageId: string): number[] =>
  stages === null
    ? []
    : stages.map(({ weights }, i) => (weights === undefined ? 0 : drawFrom(weights, shareOf(messageId, i))))

/**
 * Returns the way of these draws, without weights: where a stage has some, the drawn device comes first. `not`: devices that do not
 * send to the number of the message. Messages of the same stages and draws, and with the same `not`, have the same.
 */
export function wayOfDraws(
  stages: readonly RuleStageJson[] | null,
  { draws, not }: { draws: readonly number[]; not: readonly string[] },
): Way {
  const resolved = stages === null ? usualStages : stages.map((stage, i) => drawn(stage, draws[i] as number))
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

function drawn({ weights, by, ...stage }: RuleStageJson, first: number): Stage {
  if (weights === undefined) return { ...stage, ...(by !== undefined && { by }) }
  const use = [stage.use[first] as string, ...stage.use.filter((_, i) => i !== first)]
  return { ...stage, use, by: 'drawn' }
}

/** The characters of an ID that stay when the message gets its place in the order of commits (`stampedId`). */
const lastingLength = 8

/** Returns a number from 0 to 1 that a message has for one stage. */
function shareOf(messageId: string, place: number): number {
  // As text: its buffer takes three times as long to make.
  const digest = hash('sha256', `${place}/${messageId.slice(-lastingLength)}`, 'hex')
  return Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32
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
