/** The placeholders of each message; settings and secrets of a declaration have other names. */
export const messageNames = [
  'to', 'to_digits', 'from', 'text', 'parts', 'encoding', 'category', 'validity_s', 'validity_ms', 'expires_at',
  'reference', 'reference_uuid', 'sent_at', 'day_before', 'status_url', 'inbound_url',
] as const // prettier-ignore
export type MessageName = (typeof messageNames)[number]

/** Only in look-ups by the ID that the provider gave. */
export const idName = 'id'

/** Settings that every device of the kind has. */
const kindSettings = [
  'provider', 'declaration', 'window', 'max_per_second', 'timeout_ms', 'resolve_s', 'status', 'balance_alert', 'country',
  'trace', 'tls_ca_file', 'hook',
] as const // prettier-ignore

/** Names that a declaration cannot give to a setting or a secret. */
export const takenNames: ReadonlySet<string> = new Set([
  ...messageNames,
  idName,
  'signature',
  ...kindSettings,
])
