import type { StoredMessage } from './message-store.ts'
import type { Registration } from './phone-api.ts'
import type { PhoneSettings } from './phone-settings.ts'
import type { Webhook } from './webhook-queue.ts'

/** What a phone tells when it is asked. */
export interface PhoneView {
  phone: number
  registration: Registration | null
  isOnline: boolean
  openStreams: number
  webhooks: readonly Webhook[]
  settings: PhoneSettings
  /** Of its Local Server; null while it has none. */
  localPort: number | null
  localPassword: string
  /** Every message that it has, with its state. */
  messages: StoredMessage[]
  reportsWaiting: number
  webhooksWaiting: number
  /** Failures in a row of the pull that is being tried again. */
  pullFailures: number
}
