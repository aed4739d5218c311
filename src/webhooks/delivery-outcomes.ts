import { allDone } from '../runtime/all-done.ts'
import type { Ids } from '../runtime/ids.ts'
import { recordEvents } from '../messages/core/events.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { Category, Flag } from '../storage/tables/schema.ts'
import { insertRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'
import { isTaken, type PostResult } from './post.ts'
import { askedPauseMs, nextDelayMs, pauseMs } from './retry-schedule.ts'

/** What came of one try. `gone`: there is nothing left to tell. */
export interface TriedDelivery {
  accountId: string
  endpointId: string
  eventId: string
  /** Where it went; the endpoint may have moved since. */
  url: string
  token: number
  failures: number
  /** Of the trial of an endpoint that fails: until when it kept others from the endpoint. */
  trialUntil: number | null
  result: PostResult | { kind: 'gone' }
  atMs: number
  durationMs: number
}

/** How a delivery stands after a try; `stale` when somebody else has taken it since. */
export type DeliveryStanding = 'delivered' | 'failed' | 'given_up' | 'dropped' | 'stale'

export interface OutcomeDeps {
  ids: Ids
  nowMs: number
  random: () => number
  /** Of failures without a success, after which an endpoint is disabled. */
  disableAfterMs: number
}

const key = ['account_id', 'endpoint_id', 'event_id'] as const

const standingOf = {
  sql: `select d.account_id, d.endpoint_id, d.event_id, d.token, d.closed_at, e.type, e.message_id, e.recipient,
          m.text_redacted, m.category
        from webhook_deliveries d
        left join webhook_events e on e.account_id = d.account_id and e.id = d.event_id
        left join messages m on m.account_id = e.account_id and m.mode = e.mode and m.id = e.message_id
        where d.account_id = :account and d.endpoint_id = :endpoint and d.event_id = :event limit 1`,
  inputs: ['account', 'endpoint', 'event'],
} as const

/** A delivery as it is when it is heard what came of a try, and what is left of that which was told. */
interface Standing {
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
 * Writes down what came of a batch of tries: done, due again, or given up; the log; and what it says of the endpoints. A word under an old token is logged
 * and changes nothing. Of what was erased while it was told nothing is logged, and no answer that may repeat a number or a text that was.
 */
export async function recordOutcomes(
  tx: Tx,
  deps: OutcomeDeps,
  tried: readonly TriedDelivery[],
): Promise<DeliveryStanding[]> {
  const rows = await selectEach<Standing>(
    tx,
    standingOf,
    tried.map((one) => [one.accountId, one.endpointId, one.eventId]),
  )
  const standings = new Map(rows.map((row) => [`${row.endpoint_id}/${row.event_id}`, row]))
  const standingNow = (one: TriedDelivery) => standings.get(`${one.endpointId}/${one.eventId}`)
  const judged = tried.map((one) => ({ one, ...judge(one, deps, openToken(standingNow(one))) }))
  const heard = judged.filter(({ standing }) => standing !== 'stale')
  await allDone([
    updateRows(tx, 'webhook_deliveries', key, heard.filter(({ row }) => row.closed_at !== null).map(({ row }) => row)),
    updateRows(tx, 'webhook_deliveries', key, heard.filter(({ row }) => row.closed_at === null).map(({ row }) => row)),
    insertRows(tx, 'webhook_attempts', tried.flatMap((one) => attemptRow(one, standingNow(one))), 'ignore'),
  ]) // prettier-ignore
  await judgeEndpoints(
    tx,
    deps,
    heard.map(({ one }) => one),
  )
  return judged.map(({ standing }) => standing)
}

function judge(one: TriedDelivery, deps: OutcomeDeps, token: number | undefined) {
  const named = { account_id: one.accountId, endpoint_id: one.endpointId, event_id: one.eventId }
  const closed = (outcome: 'delivered' | 'given_up' | 'dropped', failures = one.failures) => ({
    standing: outcome as DeliveryStanding,
    row: { ...named, outcome, closed_at: deps.nowMs, failures },
  })
  const open = (standing: DeliveryStanding, dueAt: number, failures: number) => ({
    standing,
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

const isSuccess = ({ result }: TriedDelivery): boolean => result.kind !== 'gone' && isTaken(result)

const openToken = (standing: Standing | undefined): number | undefined =>
  standing?.closed_at === null ? standing.token : undefined

/** Receivers may repeat what they were told: an answer is kept as long as all that it may hold still stands, and never where it may hold a code. */
function maySayWhatWasTold({ type, message_id, recipient, text_redacted, category }: Standing): boolean {
  if (type === null) return false
  if (message_id !== null) return text_redacted === 0 && category !== 'authentication'
  return recipient !== null || !type.startsWith('recipient.')
}

function attemptRow(one: TriedDelivery, standing: Standing | undefined) {
  const { accountId, endpointId, eventId, token, result, atMs, durationMs } = one
  if (result.kind === 'gone' || standing === undefined) return []
  const isKept = maySayWhatWasTold(standing)
  const came =
    result.kind === 'answered'
      ? { status: result.status, failure: null, answer: isKept ? storable(result.answer) : null }
      : { status: null, failure: reasonOf(result), answer: null }
  const named = { account_id: accountId, endpoint_id: endpointId, event_id: eventId, token }
  return [{ ...named, at: atMs, duration_ms: Math.max(0, Math.round(durationMs)), ...came }]
}

/** PostgreSQL takes no NUL in a text. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '�')

const endpointOf = {
  sql: `select account_id, id, url, state, failing_since, resumes_at from webhook_endpoints
        where account_id = :account and id = :id`,
  inputs: ['account', 'id'],
} as const

interface EndpointStanding {
  account_id: string
  id: string
  url: string
  state: string
  failing_since: number | null
  resumes_at: number | null
}

/** One success makes up for the failures beside it; 410 is a word for good. What another address answered says nothing of the one that it has now. */
async function judgeEndpoints(tx: Tx, deps: OutcomeDeps, tried: readonly TriedDelivery[]): Promise<void> {
  const byEndpoint = Map.groupBy(tried, ({ endpointId }) => endpointId)
  const rows = await selectEach<EndpointStanding>(
    tx,
    endpointOf,
    [...byEndpoint].map(([id, tries]) => [tries[0]?.accountId ?? '', id]),
  )
  for (const row of rows.filter(({ state }) => state === 'enabled')) {
    const tries = (byEndpoint.get(row.id) ?? []).filter(({ url }) => url === row.url)
    const told = tries.filter(({ result }) => result.kind !== 'gone')
    // A trial that had nothing to tell says nothing of the endpoint: the next one may go.
    if (told.length === 0 && tries.some((one) => holdsTrial(row, one)))
      await changeEndpoint(tx, row, { resumes_at: null })
    if (told.length === 0) continue
    const isGone = told.some(({ result }) => result.kind === 'answered' && result.status === 410)
    const health = healthOf(row, told, deps.nowMs)
    const isFailing =
      health.failing_since !== null && deps.nowMs - health.failing_since >= deps.disableAfterMs
    if (isGone || isFailing) await disable(tx, deps, row, health, isGone ? 'gone' : 'failing')
    else if (isNews(row, health)) await changeEndpoint(tx, row, health)
  }
}

type Health = Pick<WebhookEndpointTable, 'failing_since' | 'failing_because' | 'resumes_at'>

/**
 * Since when and why an endpoint fails after these tries, and before when it is left alone. Each try speaks of the pause for itself: the trial ends what it
 * held, another one shortens nothing, for what stands may be what the receiver asked for. A trial whose hold somebody has ended makes no pause by its failure.
 */
function healthOf(row: EndpointStanding, told: readonly TriedDelivery[], nowMs: number): Health {
  const stands = told.some((one) => holdsTrial(row, one)) ? 0 : restOf(row, nowMs)
  const asked = Math.max(...told.map(({ result }) => askedOfAll(result, nowMs)))
  // A millisecond more than what stands, which may be the hold of a trial: it must not take this for its own and end it.
  const resumesAt = asked > 0 ? Math.max(nowMs + asked, stands + 1) : stands
  const failure = told.findLast((one) => !isSuccess(one))
  if (failure === undefined || told.some(isSuccess))
    return { failing_since: null, failing_because: null, resumes_at: resumesAt || null }
  // By the time that never steps back, as it is compared with: the wall clock may be days beside it.
  const since = row.failing_since ?? nowMs
  const isOverruled = told.every((one) => one.trialUntil !== null && !holdsTrial(row, one))
  const pausesUntil = isOverruled ? 0 : nowMs + pauseMs(since, nowMs)
  return {
    failing_since: since,
    failing_because: reasonOf(failure.result),
    resumes_at: Math.max(resumesAt, pausesUntil) || null,
  }
}

/** Whether the pause of an endpoint is what this trial has set when it was claimed. */
const holdsTrial = (row: EndpointStanding, { trialUntil }: TriedDelivery): boolean =>
  trialUntil !== null && trialUntil === row.resumes_at

/** Before when an endpoint is left alone; 0 when it is not. */
const restOf = ({ resumes_at }: EndpointStanding, nowMs: number): number =>
  resumes_at !== null && resumes_at > nowMs ? resumes_at : 0

/** One that goes on taking what it is told costs no write. */
const isNews = (row: EndpointStanding, { failing_since, resumes_at }: Health): boolean =>
  failing_since !== null || row.failing_since !== null || resumes_at !== row.resumes_at

const changeEndpoint = (
  tx: Tx,
  { account_id, id }: EndpointStanding,
  change: Partial<WebhookEndpointTable>,
): Promise<number> =>
  updateRows(tx, 'webhook_endpoints', ['account_id', 'id'], [{ account_id, id, ...change }])

/** 429 and 503 are about the receiver as a whole (RFC 6585 section 4, RFC 9110 section 15.6.4), other statuses about the one event. */
const askedOfAll = (result: TriedDelivery['result'], nowMs: number): number =>
  result.kind === 'answered' && (result.status === 429 || result.status === 503)
    ? askedPauseMs(result.retryAfter, nowMs)
    : 0

/** Neither holds what the endpoint sent. */
const reasonOf = (result: TriedDelivery['result']): string | null =>
  result.kind === 'answered'
    ? `answered ${result.status}`
    : result.kind === 'failed'
      ? `${result.because}: ${result.detail}`
      : null

/** Disables an endpoint, and tells: the audit log, and the other endpoints of the account. */
async function disable(
  tx: Tx,
  { ids, nowMs }: OutcomeDeps,
  row: EndpointStanding,
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
