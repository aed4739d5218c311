import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'
import { readJson, type FormerSecret } from '../storage/tables/json-columns.ts'

/** Returns the former secrets of an endpoint, newest first; some may have expired. */
export const formerSecretsOf = ({
  previous_secret: secret,
  previous_until: until,
  older_secrets: older,
}: Pick<WebhookEndpointTable, 'previous_secret' | 'previous_until' | 'older_secrets'>): FormerSecret[] => [
  ...(secret === null || until === null ? [] : [{ secret, until }]),
  ...(older === null ? [] : readJson(older)),
]
