import { phonePath } from '../../process/own-address.ts'
import { isSince, since } from './app-version.ts'
import type { Registration } from './ports.ts'
import type { DocumentName } from './read-documents.ts'
import type { PhoneCall, PhoneRouteDeps } from './route.ts'

/** Returns the documents that a phone reads about itself, as of now. */
export function documentsFor(
  { publicUrl }: Pick<PhoneRouteDeps, 'publicUrl'>,
  { registration, appVersion, phone }: PhoneCall,
): Record<DocumentName, string> {
  const url = publicUrl()
  return {
    settings: JSON.stringify(settingsFor(registration, phone?.pingIntervalS ?? 0)),
    webhooks: JSON.stringify(webhooksFor(registration, { appVersion, publicUrl: url })),
  }
}

/**
 * GET /settings: the settings of the app. Its own limit and order are switched off, because what the phone
 * holds back cannot be sent by another phone. The ping reports its health; its webhooks are signed with our
 * key.
 */
const settingsFor = ({ signingKey }: Registration, pingIntervalS: number): object => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: { processing_order: 'FIFO', limit_period: 'Disabled' },
  // Null switches it off.
  ping: { interval_seconds: pingIntervalS === 0 ? null : pingIntervalS },
  webhooks: { signing_key: signingKey },
})

/** Webhooks that the phone must call. Delivered, failed and canceled messages are reported anyway. */
const wanted = [
  { name: 'received', event: 'sms:received', from: null },
  { name: 'sent', event: 'sms:sent', from: null },
  { name: 'ping', event: 'system:ping', from: null },
  // An event that an app does not know breaks its whole list.
  { name: 'started', event: 'app:started', from: since.appStarted },
] as const

/** GET /webhooks: the whole list. IDs stay the same for a device: the app would show another one to its user as new. */
const webhooksFor = (
  { deviceId, hookSecret }: Registration,
  { appVersion, publicUrl }: { appVersion: string | null; publicUrl: string },
): object[] =>
  wanted
    .filter(({ from }) => from === null || isSince(appVersion, from))
    .map(({ name, event }) => ({
      id: `onesixty-${name}-${deviceId}`,
      url: `${publicUrl}${phonePath}/hooks/${hookSecret}`,
      event,
    }))
