import { smppSettings } from './settings.ts'

/**
 * Settings that take effect with the next message or response. All others concern the bind, the connection or
 * received PDUs, and require a reconnect.
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

/**
 * Returns whether a running link can apply the change and keep its sessions. A default is the same whether
 * set or omitted.
 */
export const isLiveChange = (before: Given, after: Given): boolean =>
  smppSettings.every(
    ({ name, default: byDefault }) =>
      live.has(name) || (before[name] ?? byDefault) === (after[name] ?? byDefault),
  )
