import { allDone } from '../runtime/all-done.ts'
import type { Ids } from '../runtime/ids.ts'
import { recordEvents } from '../messages/core/events.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { Category, Flag } from '../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'
import { isAccepted, type PostResult } from './post.ts'
import { nextDelayMs, pauseMs, requestedPauseMs } from './retry-schedule.ts'

/** The result of one attempt. `gone`: the message was purged, so there is nothing to send. */
export interface AttemptedDelivery {
  accountId: string
  endpointId: string
  eventId: string
  /** URL of this attempt. The endpoint can have another one by now. */
  url: string
  token: number
  failures: number
  /**
   * Set for the trial delivery of a failing endpoint: until when it blocked other deliveries to the endpoint.
   */
  trialUntil: number | null
  result: PostResult | { kind: 'gone' }
  atMs: number
  durationMs: number
}

/** State of a delivery after an attempt; `stale` when another node has claimed it since. */
export type DeliveryState = 'delivered' | 'failed' | 'given_up' | 'dropped' | 'stale'

export interface OutcomeDeps {
  ids: Ids
  nowMs: number
  random: () => number
  /** Duration of failures without a success after which an endpoint is disabled. */
  disableAfterMs: number
}

const key = ['account_id', 'endpoint_id', 'event_id'] as const

const currentDelivery = {
  sql: `select d.account_id, d.endpoint_id, d.event_id, d.token, d.closed_at, e.type, e.message_id, e.recipient,
          m.text_redacted, m.category
        from webhook_deliveries d
        left join webhook_events e on e.account_id = d.account_id and e.id = d.event_id
        left join messages m on m.account_id = e.account_id and m.mode = e.mode and m.id = e.message_id
        where d.account_id = :account and d.endpoint_id = :endpoint and d.event_id = :event limit 1`,
  inputs: ['account', 'endpoint', 'event'],
} as const

/** A delivery and its message as stored when the result of an attempt arrives. */
interface CurrentDelivery {
  account_id: string
  endpoint_id: string
  event_id: string
  token: number
  closed_at: number | null
  type: string | null
  message_id: string | null
  recipient: string | null
  text_redacted: Flag | null
  category: Category | null
}

/**
 * Records the results of a batch of attempts: delivered, due again or failed permanently; the attempt log;
 * and the state of the endpoints. A result with an old token is logged and changes nothing. A delivery that
 * was erased while it was in flight is not logged. Neither is a response that could repeat an erased number
 * or text.
 */
export async function recordOutcomes(
  tx: Tx,
  deps: OutcomeDeps,
  attempted: readonly AttemptedDelivery[],
): Promise<DeliveryState[]> {
  const rows = await selectEach<CurrentDelivery>(
    tx,
    currentDelivery,
    attempted.map((one) => [one.accountId, one.endpointId, one.eventId]),
  )
  const current = new Map(rows.map((row) => [`${row.endpoint_id}/${row.event_id}`, row]))
  const currentOf = (one: AttemptedDelivery) => current.get(`${one.endpointId}/${one.eventId}`)
  const decided = attempted.map((one) => ({ one, ...decide(one, deps, openToken(currentOf(one))) }))
  const applied = decided.filter(({ state }) => state !== 'stale')
  await allDone([
    updateRows(tx, 'webhook_deliveries', key, applied.filter(({ row }) => row.closed_at !== null).map(({ row }) => row)),
    updateRows(tx, 'webhook_deliveries', key, applied.filter(({ row }) => row.closed_at === null).map(({ row }) => row)),
    insertRows(tx, 'webhook_attempts', attempted.flatMap((one) => attemptRow(one, currentOf(one))), 'ignore'),
  ]) // prettier-ignore
  await updateEndpoints(
    tx,
    deps,
    applied.map(({ one }) => one),
  )
  return decided.map(({ state }) => state)
}

function decide(one: AttemptedDelivery, deps: OutcomeDeps, token: number | undefined) {
  const named = { account_id: one.accountId, endpoint_id: one.endpointId, event_id: one.eventId }
  const closed = (outcome: 'delivered' | 'given_up' | 'dropped', failures = one.failures) => ({
    state: outcome as DeliveryState,
    row: { ...named, outcome, closed_at: deps.nowMs, failures },
  })
  const open = (state: DeliveryState, dueAt: number, failures: number) => ({
    state,
    row: { ...named, due_at: dueAt, failures, closed_at: null },
  })
  if (token !== one.token) return open('stale', 0, 0)
  if (one.result.kind === 'gone') return closed('dropped')
  if (isSuccess(one)) return closed('delivered')
  const failures = one.failures + 1
  const retryAfter = one.result.kind === 'answered' ? one.result.retryAfter : null
  const delayMs = nextDelayMs(failures, { retryAfter, nowMs: deps.nowMs, random: deps.random() })
  return delayMs === null ? closed('given_up', failures) : open('failed', deps.nowMs + delayMs, failures)
}

const isSuccess = ({ result }: AttemptedDelivery): boolean => result.kind !== 'gone' && isAccepted(result)

const openToken = (state: CurrentDelivery | undefined): number | undefined =>
  state?.closed_at === null ? state.token : undefined

/**
 * Returns whether the response can be kept. Receivers may echo what they received: a response is kept while
 * everything that it can contain is kept, and never where it can contain a one-time code.
 */
function canKeepAnswer({ type, message_id, recipient, text_redacted, category }: CurrentDelivery): boolean {
  if (type === null) return false
  if (message_id !== null) return text_redacted === 0 && category !== 'authentication'
  return recipient !== null || !type.startsWith('recipient.')
}

function attemptRow(one: AttemptedDelivery, state: CurrentDelivery | undefined) {
  const { accountId, endpointId, eventId, token, result, atMs, durationMs } = one
  if (result.kind === 'gone' || state === undefined) return []
  const isKept = canKeepAnswer(state)
  const outcome =
    result.kind === 'answered'
      ? { status: result.status, failure: null, answer: isKept ? storable(result.answer) : null }
      : { status: null, failure: reasonOf(result), answer: null }
  const named = { account_id: accountId, endpoint_id: endpointId, event_id: eventId, token }
  return [{ ...named, at: atMs, duration_ms: Math.max(0, Math.round(durationMs)), ...outcome }]
}

/** PostgreSQL does not accept NUL in text. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '�')

const endpointOf = {
  sql: `select account_id, id, url, state, failing_since, resumes_at from webhook_endpoints
        where account_id = :account and id = :id`,
  inputs: ['account', 'id'],
} as const

interface CurrentEndpoint {
  account_id: string
  id: string
  url: string
  state: string
  failing_since: number | null
  resumes_at: number | null
}

/**
 * One success outweighs the failures of the same batch; 410 is final. A response from a former URL says
 * nothing about the current one.
 */
async function updateEndpoints(
  tx: Tx,
  deps: OutcomeDeps,
  attempted: readonly AttemptedDelivery[],
): Promise<void> {
  const byEndpoint = Map.groupBy(attempted, ({ endpointId }) => endpointId)
  const rows = await selectEach<CurrentEndpoint>(
    tx,
    endpointOf,
    [...byEndpoint].map(([id, attempts]) => [attempts[0]?.accountId ?? '', id]),
  )
  for (const row of rows.filter(({ state }) => state === 'enabled')) {
    const attempts = (byEndpoint.get(row.id) ?? []).filter(({ url }) => url === row.url)
    const sent = attempts.filter(({ result }) => result.kind !== 'gone')
    // A trial without anything to send says nothing about the endpoint: the next one can start.
    if (sent.length === 0 && attempts.some((one) => holdsTrial(row, one)))
      await changeEndpoint(tx, row, { resumes_at: null })
    if (sent.length === 0) continue
    const isGone = sent.some(({ result }) => result.kind === 'answered' && result.status === 410)
    const health = healthOf(row, sent, deps.nowMs)
    const isFailing =
      health.failing_since !== null && deps.nowMs - health.failing_since >= deps.disableAfterMs
    if (isGone || isFailing) await disable(tx, deps, row, health, isGone ? 'gone' : 'failing')
    else if (isChange(row, health)) await changeEndpoint(tx, row, health)
  }
}

type Health = Pick<WebhookEndpointTable, 'failing_since' | 'failing_because' | 'resumes_at'>

/**
 * Returns since when and why an endpoint fails after these attempts, and until when it is paused. A trial
 * ends the pause that it set itself. Any other attempt never shortens a pause, because the receiver may have
 * requested it. A failed trial whose pause was already ended sets no new one.
 */
function healthOf(row: CurrentEndpoint, sent: readonly AttemptedDelivery[], nowMs: number): Health {
  const currentPause = sent.some((one) => holdsTrial(row, one)) ? 0 : pauseOf(row, nowMs)
  const requestedMs = Math.max(...sent.map(({ result }) => requestedPauseOf(result, nowMs)))
  // One millisecond more than the current pause, which a trial may have set: that trial must not take the new
  // pause for its own and end it.
  const resumesAt = requestedMs > 0 ? Math.max(nowMs + requestedMs, currentPause + 1) : currentPause
  const failure = sent.findLast((one) => !isSuccess(one))
  if (failure === undefined || sent.some(isSuccess))
    return { failing_since: null, failing_because: null, resumes_at: resumesAt || null }
  // Uses the time that never steps back, as all comparisons do: the wall clock can be days off.
  const since = row.failing_since ?? nowMs
  const isOverruled = sent.every((one) => one.trialUntil !== null && !holdsTrial(row, one))
  const pausesUntil = isOverruled ? 0 : nowMs + pauseMs(since, nowMs)
  return {
    failing_since: since,
    failing_because: reasonOf(failure.result),
    resumes_at: Math.max(resumesAt, pausesUntil) || null,
  }
}

/** Returns whether the pause of the endpoint is the one that this trial set when it was claimed. */
const holdsTrial = (row: CurrentEndpoint, { trialUntil }: AttemptedDelivery): boolean =>
  trialUntil !== null && trialUntil === row.resumes_at

/** Returns until when an endpoint is paused; 0 when it is not. */
const pauseOf = ({ resumes_at }: CurrentEndpoint, nowMs: number): number =>
  resumes_at !== null && resumes_at > nowMs ? resumes_at : 0

/** An endpoint that keeps accepting deliveries costs no write. */
const isChange = (row: CurrentEndpoint, { failing_since, resumes_at }: Health): boolean =>
  failing_since !== null || row.failing_since !== null || resumes_at !== row.resumes_at

const changeEndpoint = (
  tx: Tx,
  { account_id, id }: CurrentEndpoint,
  change: Partial<WebhookEndpointTable>,
): Promise<number> =>
  updateRows(tx, 'webhook_endpoints', ['account_id', 'id'], [{ account_id, id, ...change }])

/**
 * 429 and 503 are about the receiver as a whole (RFC 6585 section 4, RFC 9110 section 15.6.4), other statuses
 * about one event.
 */
const requestedPauseOf = (result: AttemptedDelivery['result'], nowMs: number): number =>
  result.kind === 'answered' && (result.status === 429 || result.status === 503)
    ? requestedPauseMs(result.retryAfter, nowMs)
    : 0

/** Contains nothing that the endpoint sent. */
const reasonOf = (result: AttemptedDelivery['result']): string | null =>
  result.kind === 'answered'
    ? `answered ${result.status}`
    : result.kind === 'failed'
      ? `${result.because}: ${result.detail}`
      : null

/** Disables an endpoint, and reports it to the audit log and to the other endpoints of the account. */
async function disable(
  tx: Tx,
  { ids, nowMs }: OutcomeDeps,
  row: CurrentEndpoint,
  health: Health,
  because: 'gone' | 'failing',
): Promise<void> {
  const { account_id: accountId, id } = row
  const change = { state: 'disabled', disabled_because: because, updated_at: nowMs } as const
  await changeEndpoint(tx, row, { ...health, ...change })
  const detail = { endpointId: id, because }
  await appendAudit(tx, { ids, nowMs }, { accountId, actor: 'webhooks', action: 'webhook.disabled', detail })
  const facts = { webhook: { id, state: 'disabled', disabled_because: because } }
  await recordEvents(tx, [
    { type: 'webhook.disabled', accountId, mode: 'live', atMs: nowMs, subject: id, facts },
  ])
}
