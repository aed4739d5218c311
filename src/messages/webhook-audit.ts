import { sql } from 'kysely'
import { type AuditCheck, mostViolations, rowsOf, type Violation } from '../ledger/audit.ts'

/** What must hold between events and those who are to be told of them. */
export const webhookChecks: readonly AuditCheck[] = [
  {
    name: 'deliveries_have_events',
    says: 'What is still to be told has its event, and an endpoint of the same account.',
    find: (db) => rowsOf(db, openWithoutEvent),
  },
]

const openWithoutEvent = sql<Violation>`
  select d.account_id, d.endpoint_id, d.event_id from webhook_deliveries d
  left join webhook_events v on v.account_id = d.account_id and v.id = d.event_id
  left join webhook_endpoints w on w.account_id = d.account_id and w.id = d.endpoint_id
  where d.closed_at is null and (v.id is null or w.id is null)
  limit ${mostViolations}`
