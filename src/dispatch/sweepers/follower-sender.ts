import type { Selectable } from 'kysely'
import { takeChange } from '../../messages/core/change-number.ts'
import type { ChangeHints } from '../../messages/core/change-hints.ts'
import { maySend } from '../../messages/core/attempt-evidence.ts'
import { evidenceOf, readAttempts } from '../../messages/core/evidence-store.ts'
import type { MessageRow } from '../../messages/core/message-store.ts'
import { type Way, wayNamed, wayText } from '../../devices/routes/way.ts'
import { readWays, type WrittenWay } from '../../devices/routes/ways-store.ts'
import { acceptedAs } from '../../messages/send/send-ids.ts'
import { sendMessages } from '../../messages/send/send-messages.ts'
import type { SendRequest } from '../../messages/send/send-request.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import { minuteMs } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { FollowerTable } from '../../storage/tables/message-tables.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { Route } from '../routes/candidate.ts'
import { readReportedDevices } from '../routes/reported-candidates.ts'
import { restOfWay } from '../routes/rest-of-way.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'

interface FollowerSenderDeps extends SweeperDeps {
  read: Db
  writer: Writer
  ids: Ids
  pool: Pick<DevicePool, 'candidates'>
  queueLimit: number
  changes: Pick<ChangeHints, 'tell'>
  /** Called for each route with queued messages. */
  wake: (route: Route) => void
}

const intervalMs = 1_000
const pageSize = 50
/** One that failed keeps none of the others waiting. */
const retryMs = minuteMs
const maxFailed = 1_000

type Followed = Selectable<FollowerTable>

/**
 * Sends the message that follows one which was certainly not delivered (`on_undelivered: next_way`), over the rest of its
 * way. It is a send like any other, with a hold of its own, and needs the balance of now; it is never followed itself. Its
 * transaction marks the first message, so that a crash or another node makes no second one.
 */
export function createFollowerSender(deps: FollowerSenderDeps): Sweeper {
  const { read, writer, changes, clock, log, wake } = deps
  const failedAtMs = new BoundedMap<number>(maxFailed)
  const rests = ({ message_id }: Followed): boolean =>
    clock.monotonicMs() - (failedAtMs.get(message_id) ?? Number.NEGATIVE_INFINITY) < retryMs
  return new Sweeper(deps, {
    name: 'follower-sender',
    intervalMs,
    async sweep() {
      const due = await read
        .selectFrom('followers')
        .selectAll()
        .where('state', '=', 'due')
        .orderBy('created_at')
        .limit(pageSize + maxFailed)
        .execute()
      const page = due.filter((followed) => !rests(followed)).slice(0, pageSize)
      for (const followed of page) {
        try {
          const route = await writer.write((tx) => follow(tx, deps, followed))
          if (route === null) continue
          wake(route)
          changes.tell(() => [followed.account_id])
        } catch (error) {
          failedAtMs.set(followed.message_id, clock.monotonicMs())
          log.error(
            { err: error, message_id: followed.message_id },
            'failed to send a follower; retrying in a minute',
          )
        }
      }
      return page.length === pageSize
    },
  })
}

/** Why no message follows: a code of the send that was refused, or one of these. */
type Reason = 'corrected' | 'expired' | 'text_erased' | 'no_other_device'

/** Returns the route on which the follower is queued; null if there is none, or another node was first. */
async function follow(
  tx: Tx,
  deps: FollowerSenderDeps,
  { account_id, mode, message_id }: Followed,
): Promise<Route | null> {
  const key = { account_id, mode, message_id }
  const isDue = await tx
    .selectFrom('followers')
    .select('message_id')
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('message_id', '=', message_id)
    .where('state', '=', 'due')
    .executeTakeFirst()
  if (isDue === undefined) return null
  const end = async (values: Partial<Followed>): Promise<null> => {
    await mark(tx, key, { state: 'none', ...values })
    return null
  }
  const message = await tx
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('id', '=', message_id)
    .executeTakeFirst()
  const reason = message === undefined ? 'text_erased' : reasonAgainst(message, deps.clock.now())
  if (message === undefined || reason !== null) return end({ reason })
  const attempts = await readAttempts(tx, [{ accountId: account_id, mode, messageId: message_id }])
  const sent = (attempts.get(message_id) ?? []).filter((attempt) => maySend(evidenceOf(attempt)))
  const takenBy = [...new Set(sent.map(({ device_id }) => device_id))]
  const way = await readWay(tx, message.way)
  const route = way && (await routeOfRest(tx, deps, message, { way, takenBy }))
  if (route === null) return end({ reason: 'no_other_device' })
  const request = { ...(await requestOf(tx, deps, message, takenBy)), ways: writtenOf(message, way) }
  const [result] = await sendMessages(tx, [request], takeChange(tx, request.createdAt))
  if (result?.kind !== 'accepted') return end({ reason: result?.kind === 'refused' ? result.code : null })
  const [followerId = null] = acceptedAs(request, result.place).messageIds
  await mark(tx, key, { state: 'followed', follower_id: followerId, excludes: takenBy.join(',') })
  return route
}

/** The pool of a node that starts, or has just lost a lease, does not know every device: the table has them all. */
async function routeOfRest(
  tx: Tx,
  { pool, clock }: FollowerSenderDeps,
  message: MessageRow,
  { way, takenBy }: { way: Way; takenBy: readonly string[] },
): Promise<Route | null> {
  const known = restOfWay(message, takenBy, { way, devicesFor: (route) => pool.candidates(route, true) })
  if (known !== null) return known
  const { account_id: accountId, mode } = message
  const { candidates } = await readReportedDevices(tx, { accountId, mode }, clock.now())
  return restOfWay(message, takenBy, { way, devicesFor: () => candidates })
}

/** Reads the way that a message was accepted with; null if it is not stored. */
async function readWay(tx: Tx, name: string | null): Promise<Way | null> {
  return wayNamed(name ?? undefined, name === null ? new Map() : await readWays(tx, [name]))
}

/** A follower uses the way of its message once more. */
const writtenOf = ({ way: name }: MessageRow, way: Way | null): WrittenWay[] =>
  name === null || way === null || name.startsWith('dev_') ? [] : [{ id: name, text: wayText(way) }]

/** A late report may have corrected the message; nothing is sent after its validity (P8). */
function reasonAgainst({ status, expires_at, text }: MessageRow, nowMs: number): Reason | null {
  if (status !== 'undelivered') return 'corrected'
  if ((expires_at ?? 0) <= nowMs) return 'expired'
  return text === null ? 'text_erased' : null
}

async function mark(
  tx: Tx,
  { account_id, mode, message_id }: Pick<Followed, 'account_id' | 'mode' | 'message_id'>,
  values: Partial<Followed>,
): Promise<void> {
  await tx
    .updateTable('followers')
    .set(values)
    .where('account_id', '=', account_id)
    .where('mode', '=', mode)
    .where('message_id', '=', message_id)
    .execute()
}

/** The same message under the same key, until the same time. */
async function requestOf(
  tx: Tx,
  { ids, clock, queueLimit }: FollowerSenderDeps,
  message: MessageRow,
  takenBy: readonly string[],
): Promise<SendRequest> {
  const keyId = await keyOf(tx, message)
  const key = await tx.selectFrom('api_keys').select('daily_cap').where('id', '=', keyId).executeTakeFirst()
  const { fallback, paid_by } = message
  return {
    sendId: ids('snd'),
    messageIds: [ids('msg')],
    accountId: message.account_id,
    mode: message.mode,
    keyId,
    dailyCap: key?.daily_cap ?? null,
    queueLimit,
    createdAt: clock.now(),
    idempotency: null,
    recipients: [
      { to: message.recipient, country: message.country, ...(message.way !== null && { way: message.way }) },
    ],
    from: message.sender,
    category: message.category,
    text: message.text ?? '',
    encoding: message.encoding,
    ...(message.encoding_forced === 1 && { encodingForced: true }),
    units: message.units,
    ...(fallback !== null ? { fallback } : paid_by === 'own_device' ? { paidBy: paid_by } : {}),
    parts: message.parts,
    smartEncodingApplied: false,
    onUnknown: message.on_unknown,
    excludes: takenBy,
    clientReference: message.client_reference,
    metadata: message.metadata,
    expiresAt: message.expires_at as number,
    warnings: [],
  }
}

async function keyOf(tx: Tx, { account_id, send_id, key_id }: MessageRow): Promise<string> {
  if (key_id !== null || send_id === null) return key_id ?? ''
  const send = await tx
    .selectFrom('sends')
    .select('key_id')
    .where('account_id', '=', account_id)
    .where('id', '=', send_id)
    .executeTakeFirst()
  return send?.key_id ?? ''
}
