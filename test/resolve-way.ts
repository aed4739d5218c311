import { drawsOf, wayOfDraws } from '../src/devices/routes/resolve-way.ts'
import type { Way } from '../src/devices/routes/way.ts'
import type { RuleStageJson } from '../src/storage/tables/route-tables.ts'

/** Returns the way of one message as `DrawnWays` makes it; null for the usual one. */
export const resolveWay = (
  stages: readonly RuleStageJson[] | null,
  { messageId, not }: { messageId: string; not: readonly string[] },
): Way | null =>
  stages === null && not.length === 0 ? null : wayOfDraws(stages, { draws: drawsOf(stages, messageId), not })
