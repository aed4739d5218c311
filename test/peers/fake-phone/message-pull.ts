import type { MessageStore } from './message-store.ts'
import type { PhoneApi, Registration } from './phone-api.ts'
import { isSince, type PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord } from './phone-log.ts'
import type { PhoneSettings } from './phone-settings.ts'
import type { PhoneTime } from './phone-time.ts'
import { type PulledMessage, readPulledMessages } from './pulled-message.ts'

export interface PullHouse {
  api: PhoneApi
  knobs(): PhoneKnobs
  settings(): PhoneSettings
  registration(): Registration | null
  store: MessageStore
  time: PhoneTime
  reports: { report(id: string): void; reportUnknownCancelled(id: string): void }
  sender: { wake(): void }
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

/** One page of the queue: what is new is stored and sent, what is known is reported again, and nobody asks for a second page. */
export async function pullMessages(house: PullHouse, signal: AbortSignal): Promise<void> {
  const { api, knobs, registration, settings, time, sender, note } = house
  const held = registration()
  if (held === null) return
  const { appVersion, dateParser } = knobs()
  const order = isSince(appVersion, '1.46.0') ? `?order=${settings().processingOrder.toLowerCase()}` : ''
  const answer = await api.read({
    method: 'GET',
    path: `/message${order}`,
    authorization: `Bearer ${held.token}`,
    signal,
  })
  if (signal.aborted) return
  for (const pulled of readPulledMessages(answer, { appVersion, dateParser, nowMs: time.now() })) {
    try {
      take(house, pulled)
    } catch (error) {
      note('message-dropped', { id: pulled.message.id, reason: (error as Error).message })
    }
  }
  sender.wake()
}

function take({ store, reports, note }: PullHouse, { state, message }: PulledMessage): void {
  const known = store.get(message.id)
  if (state === 'other') return note('message-ignored', { id: message.id })
  if (state === 'Cancelling') return cancelMessage({ store, reports }, message.id)
  if (known !== null) return reports.report(known.id)
  if (message.text === null && message.data === null) throw new Error('No content')
  // Nothing is reported yet: what the phone's own pace holds back is Pending for the server only at the next pull.
  store.insert(message)
}

/** Silent about a message that has been handed to the radio. */
export function cancelMessage({ store, reports }: Pick<PullHouse, 'store' | 'reports'>, id: string): void {
  const known = store.get(id)
  if (known === null) reports.reportUnknownCancelled(id)
  else store.cancel(known)
}
