import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'

/** A secret that was replaced and signs until its end. */
export interface FormerSecret {
  /** Sealed. */
  secret: string
  until: number
}

/** The former secrets of an endpoint, the newest first; some may have ended. */
export const formerSecretsOf = ({
  previous_secret: secret,
  previous_until: until,
  older_secrets: older,
}: Pick<WebhookEndpointTable, 'previous_secret' | 'previous_until' | 'older_secrets'>): FormerSecret[] => [
  ...(secret === null || until === null ? [] : [{ secret, until }]),
  ...(older === null ? [] : (JSON.parse(older) as FormerSecret[])),
]
