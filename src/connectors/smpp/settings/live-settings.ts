import { smppSettings } from './settings.ts'

/**
 * What takes effect with the next message or answer. All else belongs to a bind, a connection, or to what comes in, and needs the link
 * made anew.
 */
const live: ReadonlySet<string> = new Set([
  'window',
  'max_per_second',
  'status_classes',
  'country',
  'trace',
  'source_ton',
  'source_npi',
  'destination_ton',
  'destination_npi',
  'default_sender',
  'data_coding',
  'concat',
  'validity',
  'service_type',
  'protocol_id',
  'user_message_reference',
  'tlvs',
])

type Given = Readonly<Record<string, string>>

/** Whether a running link can go from one set of checked settings to the other and keep its sessions. A default counts as the same whether it was given or left out. */
export const isLiveChange = (before: Given, after: Given): boolean =>
  smppSettings.every(
    ({ name, default: byDefault }) =>
      live.has(name) || (before[name] ?? byDefault) === (after[name] ?? byDefault),
  )
