import { sql } from 'kysely'
import { type AuditCheck, maxViolations, rowsOf, type Violation } from '../../ledger/ledger-audit.ts'
import { isOwnRoute } from '../../storage/tables/own-devices.ts'

/** Invariants between what pays for a message and who may carry it (decision 51). */
export const purseChecks: readonly AuditCheck[] = [
  {
    name: 'routes_are_purses',
    summary:
      'A message waits on a route that only own devices carry exactly when it costs nothing there, and one that shared devices may carry as well is paid by an own device only once it is charged.',
    find: (db) => rowsOf(db, routesAreNotPurses),
  },
]

/** A message with more than one attempt can be final while the last one is open. */
const routesAreNotPurses = sql<Violation>`
  select account_id, mode, id, sum(own_purse) as own_purse, sum(own_route) as own_route, sum(too_early) as too_early
  from (
    select account_id, mode, id, case when fallback is null then 1 else 0 end as own_purse, 0 as own_route, 0 as waiting,
      case when fallback is not null and charged = 0 then 1 else 0 end as too_early
    from messages where paid_by = 'own_device' and (attempts > 1 or charged = 0 or status in ('scheduled', 'queued'))
    union all
    select account_id, mode, message_id, 0, case when ${sql.raw(isOwnRoute('route_key'))} then 1 else 0 end, 1, 0 from queue
    union all
    select account_id, mode, message_id, 0, case when ${sql.raw(isOwnRoute('route_key'))} then 1 else 0 end, 1, 0 from deferred
    union all
    select account_id, mode, message_id, 0, case when ${sql.raw(isOwnRoute('route_key'))} then 1 else 0 end, 1, 0 from attempts where ended_at is null) as both_sides
  group by account_id, mode, id
  having (sum(waiting) > 0 and sum(own_purse) <> sum(own_route)) or sum(too_early) > 0
  limit ${maxViolations}`
