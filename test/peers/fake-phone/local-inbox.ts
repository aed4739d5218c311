import type { Inbox } from './inbox.ts'
import { writePhoneDate, readPhoneDate } from './phone-dates.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import { type LocalCall, type LocalReply, objectIn, readInt, readQueryDate, refused } from './local-reply.ts'

export interface LocalInboxHouse {
  knobs(): PhoneKnobs
  inbox: Inbox
  nowMs: number
}

/** `/inbox` and `/inbox/refresh`: InboxRoutes.kt of the app, 1.68, and IncomingMessagesDao.kt. Null: there is no such route, as before 1.59. */
export function answerInbox(house: LocalInboxHouse, call: LocalCall): LocalReply | null {
  if (!isSince(house.knobs().appVersion, '1.59.0')) return null
  if (call.path === '/inbox/refresh' && call.method === 'POST') return refresh(house, call)
  if (call.path !== '/inbox' || call.method !== 'GET') return null
  const { query } = call
  const type = query.get('type') ?? ''
  if (!['', 'SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'].includes(type)) return refused('Invalid type')
  const limit = readInt(query.get('limit'), 50)
  const offset = readInt(query.get('offset'), 0)
  if (limit < 1 || limit > 500) return refused('limit must be between 1 and 500')
  if (offset < 0) return refused('offset must be >= 0')
  const from = query.has('from') ? readQueryDate(query.get('from')) : 0
  const to = query.has('to') ? readQueryDate(query.get('to')) : house.nowMs
  if (from === null) return refused('Invalid from datetime')
  if (to === null) return refused('Invalid to datetime')
  if (from > to) return refused('Start date cannot be after end date')
  const rows = [...house.inbox.rows]
    .filter(([id]) => type === '' || id.startsWith(type === 'SMS' ? 'text:' : 'data:'))
    .filter(([, { receivedAtMs }]) => receivedAtMs >= from && receivedAtMs <= to)
    .toSorted(([a, one], [b, other]) => other.receivedAtMs - one.receivedAtMs || (a < b ? 1 : -1))
  const page = rows.slice(offset, offset + limit).map(([id, sms]) => ({
    id,
    type: sms.data === undefined ? 'SMS' : 'DATA_SMS',
    sender: sms.from,
    ...recipientOf(house.knobs(), sms.simNumber),
    simNumber: sms.simNumber,
    contentPreview: sms.text ?? sms.data ?? '',
    createdAt: writePhoneDate(sms.receivedAtMs, house.knobs().zone),
    attachments: [],
  }))
  return { status: 200, json: page, total: rows.length }
}

function refresh(house: LocalInboxHouse, call: LocalCall): LocalReply {
  const body = objectIn(call)
  if (body === null) return refused('Invalid request body')
  const { dateParser } = house.knobs()
  for (const name of ['since', 'until'] as const)
    if (typeof body[name] !== 'string') return refused(`${name} is required`)
  const [since, until] = [body['since'], body['until']].map((date) => readPhoneDate(String(date), dateParser))
  if (since! > until!) return refused('since must be before until')
  house.inbox.readAgain(since!, until!, body['triggerWebhooks'] === true)
  return { status: 202 }
}

function recipientOf({ simCards }: PhoneKnobs, simNumber: number): { recipient?: string } {
  const own = simCards.find(({ slotIndex }) => slotIndex + 1 === simNumber)?.phoneNumber
  return own === undefined ? {} : { recipient: own }
}
