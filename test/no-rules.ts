import { RouteBook } from '../src/dispatch/routes/route-book.ts'
import type { Db } from '../src/storage/seam/dialect.ts'
import { systemClock } from '../src/runtime/clock.ts'

/** The routes of an instance without rules: it reads nothing. */
export const noRules = new RouteBook({
  read: null as unknown as Db,
  clock: systemClock,
  log: { warn: () => undefined, error: () => undefined } as never,
})
