import { isSince, since } from './app-version.ts'
import type { Registration } from './ports.ts'

/** Webhooks that the phone must call. Delivered, failed and canceled messages are reported anyway. */
const wanted = [
  { name: 'received', event: 'sms:received', from: null },
  { name: 'sent', event: 'sms:sent', from: null },
  { name: 'ping', event: 'system:ping', from: null },
  // An event that an app does not know breaks its whole list.
  { name: 'started', event: 'app:started', from: since.appStarted },
] as const

/** GET /webhooks: the whole list. IDs stay the same for a device: the app would show another one to its user as new. */
export const webhooksFor = (
  { deviceId, hookSecret }: Registration,
  { appVersion, publicUrl }: { appVersion: string | null; publicUrl: string },
): object[] =>
  wanted
    .filter(({ from }) => from === null || isSince(appVersion, from))
    .map(({ name, event }) => ({
      id: `onesixty-${name}-${deviceId}`,
      url: `${publicUrl}/mobile/v1/hooks/${hookSecret}`,
      event,
    }))
