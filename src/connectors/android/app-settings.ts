import type { Registration } from './ports.ts'

/**
 * GET /settings: what the app shall do for us. Its own limit and its order are switched off, because what the phone holds back can go to
 * no other phone; the ping tells its health; its webhooks are signed with our key.
 */
export const settingsFor = ({ signingKey }: Registration, pingIntervalS: number): object => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: { processing_order: 'FIFO', limit_period: 'Disabled' },
  // Null switches it off.
  ping: { interval_seconds: pingIntervalS === 0 ? null : pingIntervalS },
  webhooks: { signing_key: signingKey },
})
