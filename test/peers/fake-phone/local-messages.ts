import { type MessageStore, stateOf, type StoredMessage } from './message-store.ts'
import { readPhoneDate, writePhoneDate } from './phone-dates.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import { type LocalCall, type LocalReply, objectIn, readInt, readQueryDate, refused } from './local-reply.ts'

export interface LocalMessagesHouse {
  knobs(): PhoneKnobs
  store: MessageStore
  sender: { wake(): void }
  deviceId: string
  nowMs: number
}

/** `/message` and `/messages`, which are the same: MessagesRoutes.kt of the app, 1.68 (0cdc5d8). Null: there is no such route. */
export function answerMessages(house: LocalMessagesHouse, call: LocalCall): LocalReply | null {
  const [, id] = /^\/messages?(?:\/([^/]+))?$/.exec(call.path) ?? []
  if (id === undefined) {
    if (call.method === 'GET') return list(house, call)
    return call.method === 'POST' ? post(house, call) : { status: 405 }
  }
  const found = house.store.get(decodeURIComponent(id))
  if (call.method === 'GET')
    return found === null ? { status: 404 } : { status: 200, json: domain(house, found, true) }
  // `add ability to cancel pending message`, 3820815: with 1.67.
  if (call.method !== 'DELETE' || !isSince(house.knobs().appVersion, '1.67.0')) return { status: 405 }
  if (found === null) return { status: 404 }
  const state = stateOf(found)
  if (state !== 'Cancelled' && state !== 'Pending')
    return refused(`Message ${found.id} is not in Pending state`)
  house.store.cancel(found)
  return { status: 200, json: domain(house, found, false) }
}

function list(house: LocalMessagesHouse, { query }: LocalCall): LocalReply {
  const from = readQueryDate(query.get('from')) ?? 0
  const to = readQueryDate(query.get('to')) ?? house.nowMs
  if (from > to) return refused('Start date cannot be after end date')
  const rows = house.store
    .all()
    .filter(({ source }) => source === 'Local')
    .filter(({ createdAtMs }) => createdAtMs >= from && createdAtMs <= to)
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs)
  const offset = readInt(query.get('offset'), 0)
  const page = rows.slice(offset, offset + readInt(query.get('limit'), 50))
  return { status: 200, json: page.map((each) => domain(house, each, false)), total: rows.length }
}

/** `PostMessageRequest.validate`, then what the route asks, then `validUntil`, and at last the two keys of the tables. */
function post(house: LocalMessagesHouse, call: LocalCall): LocalReply {
  const body = objectIn(call)
  if (body === null) return refused('Failed to convert request body')
  const { textMessage, dataMessage, message, phoneNumbers, simNumber, ttl, validUntil, scheduleAt } = body
  const contents = [textMessage, dataMessage, message].filter((each) => each !== undefined && each !== null)
  if (contents.length === 0)
    return refused('Must specify exactly one of: textMessage, dataMessage, or message')
  if (contents.length > 1) return refused('Cannot specify multiple message types simultaneously')
  const text = (textMessage as { text?: string } | undefined)?.text ?? (message as string | undefined) ?? null
  if (text === '') return refused('Text message is empty')
  const numbers = phoneNumbers as string[]
  if (numbers.length === 0) return refused('Empty phone numbers list')
  if (typeof simNumber === 'number' && simNumber < 1) return refused('SIM number cannot be less than 1')
  const dateOf = (value: unknown): number | null =>
    typeof value === 'string' ? readPhoneDate(value, house.knobs().dateParser) : null
  const scheduleAtMs = dateOf(scheduleAt)
  if (scheduleAtMs !== null && scheduleAtMs <= house.nowMs) return refused('scheduleAt must be in the future')
  if (body['deviceId'] !== undefined && body['deviceId'] !== house.deviceId)
    return refused('Invalid device ID')
  const skips = call.query.get('skipPhoneValidation')
  if (skips !== null && skips !== 'true' && skips !== 'false')
    return refused(`The string doesn't represent a boolean value: ${skips}`)
  if (ttl !== undefined && validUntil !== undefined) return refused('fields conflict: ttl and validUntil')
  const validUntilMs = typeof ttl === 'number' ? house.nowMs + ttl * 1_000 : dateOf(validUntil)
  if (validUntilMs !== null && validUntilMs < house.nowMs) return refused('message already expired')
  const id = (body['id'] as string | undefined) ?? `local-${house.nowMs}-${house.store.all().length}`
  if (house.store.get(id) !== null || new Set(numbers).size < numbers.length)
    return refused('Message with the same ID already exists', 409)
  const stored: StoredMessage = {
    id,
    source: 'Local',
    text,
    data: (dataMessage as StoredMessage['data']) ?? null,
    simNumber: (simNumber as number | undefined) ?? null,
    withDeliveryReport: (body['withDeliveryReport'] as boolean | undefined) ?? true,
    priority: (body['priority'] as number | undefined) ?? 0,
    createdAtMs: house.nowMs,
    scheduleAtMs: isSince(house.knobs().appVersion, '1.61.0') ? scheduleAtMs : null,
    validUntilMs,
    recipients: numbers.map((phoneNumber) => ({ phoneNumber, state: 'Pending', error: null })),
    states: {},
  }
  house.store.insert(stored)
  const json = domain(house, stored, true)
  house.sender.wake()
  return { status: 202, json }
}

/** `toDomain`, by a JSON library that leaves nulls out. */
function domain({ knobs, deviceId }: LocalMessagesHouse, message: StoredMessage, hasContent: boolean) {
  const write = (atMs: number): string => writePhoneDate(atMs, knobs().zone)
  return {
    id: message.id,
    deviceId,
    state: stateOf(message),
    isHashed: false,
    isEncrypted: false,
    ...(message.scheduleAtMs === null ? {} : { scheduleAt: write(message.scheduleAtMs) }),
    ...(hasContent && message.text !== null ? { textMessage: { text: message.text } } : {}),
    recipients: message.recipients.map(({ phoneNumber, state, error }) => ({
      phoneNumber,
      state,
      ...(error === null ? {} : { error }),
    })),
    states: Object.fromEntries(Object.entries(message.states).map(([state, at]) => [state, write(at)])),
  }
}
