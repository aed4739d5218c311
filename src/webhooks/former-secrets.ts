import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'

/** A replaced secret that still signs until it expires. */
export interface FormerSecret {
  /** Sealed. */
  secret: string
  until: number
}

/** Returns the former secrets of an endpoint, newest first; some may have expired. */
export const formerSecretsOf = ({
  previous_secret: secret,
  previous_until: until,
  older_secrets: older,
}: Pick<WebhookEndpointTable, 'previous_secret' | 'previous_until' | 'older_secrets'>): FormerSecret[] => [
  ...(secret === null || until === null ? [] : [{ secret, until }]),
  ...(older === null ? [] : (JSON.parse(older) as FormerSecret[])),
]
