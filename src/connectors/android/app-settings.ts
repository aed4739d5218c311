import type { Registration } from './ports.ts'

/**
 * GET /settings: the settings of the app. Its own limit and order are switched off, because what the phone
 * holds back cannot be sent by another phone. The ping reports its health; its webhooks are signed with our
 * key.
 */
export const settingsFor = ({ signingKey }: Registration, pingIntervalS: number): object => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: { processing_order: 'FIFO', limit_period: 'Disabled' },
  // Null switches it off.
  ping: { interval_seconds: pingIntervalS === 0 ? null : pingIntervalS },
  webhooks: { signing_key: signingKey },
})
