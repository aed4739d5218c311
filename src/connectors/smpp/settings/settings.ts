import { hourMs } from '../../../runtime/clock.ts'
import { countrySetting, type SettingRule } from '../../setting-rules.ts'
import { senderFault } from '../../../smpp/values/address.ts'
import type { StatusOverrides } from '../../../smpp/values/command-status-class.ts'
import { type IdMode, idModes } from '../../../smpp/values/message-id.ts'
import type { BindFields } from '../../../smpp/codec/pdu.ts'
import { defaultSessionLimits, type SessionLimits } from '../../../smpp/session/session-limits.ts'
import type { ReceiptReading } from '../../../smpp/values/receipt.ts'
import { ascii, filePath, hostName, millisecondsOrNever, octetOrAuto, oneOf, optional, ratePerSecond, receiptPattern, receiptWordList, type SettingReader, statusList, switched, tlvList, wholeNumber } from './setting-readers.ts' // prettier-ignore
import type { MessageSettings } from '../submit/submit-parts.ts'

/** The settings of a link, parsed. The password is a secret and not included. */
export interface SmppSettings {
  host: string
  port: number
  /** Null means plain TCP. The files are read when the link connects. */
  tls: TlsFiles | null
  bindAs: 'transceiver' | 'pair' | 'transmitter' | 'receiver'
  login: Omit<BindFields, 'password'>
  sessions: number
  limits: SessionLimits
  /** Null means no limit. */
  maxPerSecond: number | null
  reconnect: { minMs: number; firstMs: number; longestMs: number }
  message: MessageSettings
  inboundAlphabet: MessageSettings['alphabet']
  messageIds: IdMode
  receipts: ReceiptReading
  receiptsPer: 'part' | 'message'
  statusOverrides: StatusOverrides
  trace: boolean
}

export interface TlsFiles {
  verify: boolean
  serverName: string | null
  caFile: string | null
  certFile: string | null
  keyFile: string | null
}

interface Setting<T> {
  reader: SettingReader<T>
  default: string
  summary: string
  required?: true
}

const setting = <T>(reader: SettingReader<T>, byDefault: string | number, summary: string): Setting<T> => ({
  reader,
  default: String(byDefault),
  summary,
})
const required = <T>(reader: SettingReader<T>, summary: string): Setting<T> => ({
  ...setting(reader, '', summary),
  required: true,
})

const limits = defaultSessionLimits

const sender: SettingReader<string> = {
  read: (text) => (text === '' || senderFault(text) === null ? text : undefined),
  wrong:
    'needs a number in E.164, a short code of 3 to 8 digits, 1 to 11 printable ASCII characters with a letter, or nothing',
}
const country: SettingReader<string> = {
  read: (text) => (countrySetting.check(text) === null ? text : undefined),
  wrong: 'needs the code of a country such as DE, or nothing',
}
const addressRange: SettingReader<BindFields['addressRange']> = {
  read: (text) => {
    const [, ton = '0', npi = '0', address] = /^(?:(\d{1,3}):(\d{1,3}):)?([ -~]{0,40})$/.exec(text) ?? []
    return address === undefined || Number(ton) > 255 || Number(npi) > 255
      ? undefined
      : { ton: Number(ton), npi: Number(npi), address }
  },
  wrong: 'needs up to 40 printable ASCII characters, if need be after ton:npi:, or nothing',
}

const table = {
  host: required(hostName, 'Name or IP address of the SMSC; required.'),
  port: required(wholeNumber(1, 65_535), 'Port of the SMSC; required. 2775 is registered for SMPP, but most providers use other ports, and a separate one for TLS.'),
  system_id: required(ascii(1, 64), 'Name of the account at the SMSC; required.'),
  system_type: setting(ascii(0, 64), '', 'Sent with the bind; empty unless the carrier requires one.'),
  bind: setting(oneOf('transceiver', 'pair', 'transmitter', 'receiver'), 'transceiver', 'Kind of bind: both directions over one connection (SMPP 3.4 or later); a pair of connections, one per direction; only send; only receive. There is no automatic fallback.'),
  sessions: setting(wholeNumber(1, 20), 1, 'Number of sessions, or pairs, to keep open. Every provider allows one.'),
  window: setting(wholeNumber(1, 1000), limits.window, 'Maximum number of submits in flight per session. The throughput is at most sessions × window / round trip time; providers recommend 10.'),
  max_per_second: setting(ratePerSecond, '', 'Maximum parts per second over all sessions, fractions too (0.2 is one in 5 s). Empty: no limit. Set the rate of the contract: the link slows down by itself when throttled, but each throttling costs a second.'),
  tls: setting(switched, 'off', 'TLS 1.2 or later, usually on a separate port. Off by default, because the usual port uses plain TCP. Switch it on wherever the SMSC offers it: otherwise passwords and texts are sent unencrypted.'),
  tls_verify: setting(switched, 'on', "Verifies the certificate and its name. Off accepts any certificate and does not verify the SMSC's identity."),
  tls_server_name: setting(optional(hostName), '', 'Server name to request and to expect in the certificate. Empty: the host.'),
  tls_ca_file: setting(optional(filePath), '', 'File (PEM) with the trusted certificate authorities. Empty: those that Node.js trusts.'),
  tls_cert_file: setting(optional(filePath), '', 'File (PEM) with the client certificate, for SMSCs that require one; set its key, too. Empty: none.'),
  tls_key_file: setting(optional(filePath), '', 'File (PEM) with the key of the client certificate. Empty: none.'),
  interface_version: setting(oneOf('3.4', '5.0'), '3.4', 'SMPP version in the bind. Default 3.4, because some SMSCs accept nothing else.'),
  address_range: setting(addressRange, '', 'Sent with the bind: the numbers that the session serves, in the format of the SMSC, such as ^1234 or 1:1:^49. Empty: as configured for the account.'),
  source_ton: setting(octetOrAuto, 'auto', 'Type of number of every sender. auto: 1 for E.164, 3 for short codes, 5 for names, 0 for none.'),
  source_npi: setting(octetOrAuto, 'auto', 'Numbering plan of every sender. auto: 1 for E.164, otherwise 0.'),
  destination_ton: setting(octetOrAuto, 'auto', 'Type of number of every recipient. auto: 1, because all are in E.164.'),
  destination_npi: setting(octetOrAuto, 'auto', 'Numbering plan of every recipient. auto: 1.'),
  default_sender: setting(sender, '', 'Sender for messages without one. Empty: the SMSC chooses.'),
  data_coding: setting(wholeNumber(0, 255), 0, 'The data_coding of texts in the default alphabet. 0 is the default alphabet of the SMSC. UCS-2 is always 8.'),
  alphabet: setting(oneOf('gsm7', 'latin1', 'ascii'), 'gsm7', 'The default alphabet. Texts with other characters are sent as UCS-2 and may need more parts than were priced. Most SMSCs use GSM 03.38.'),
  inbound_alphabet: setting(oneOf('same', 'gsm7', 'latin1', 'ascii'), 'same', 'The default alphabet of received messages; same means the value of alphabet. Regardless of this setting, a text in gsm7 with an octet that is no septet (0x80 and above) is read as UTF-8 if valid, otherwise as Latin-1, and a text with a national language (TS 23.038, annex A) by its tables.'),
  gsm_packing: setting(oneOf('unpacked', 'packed'), 'unpacked', 'One septet per octet, or eight septets in seven octets. Only for gsm7; nearly all SMSCs use unpacked.'),
  concat: setting(oneOf('udh8', 'udh16', 'sar', 'payload'), 'udh8', 'How parts are joined: a header with an 8-bit or 16-bit reference (152 instead of 153 septets per part, so perhaps one part more than was priced), TLVs, or the whole text in message_payload. Every handset and SMSC supports the 8-bit header.'),
  receipts: setting(oneOf('all', 'failures', 'none'), 'all', 'Delivery receipts to request. Default all, because without them delivery is unknown. With failures a message is final as sent, and becomes undelivered if the network reports a failure.'),
  receipts_per: setting(oneOf('part', 'message'), 'part', 'What a receipt covers: its part, as in SMPP, or the whole long message, for SMSCs that send one receipt for it. A receipt whose sub and dlvrd equal the number of parts always covers the whole message.'),
  validity: setting(oneOf('relative', 'absolute', 'none'), 'relative', 'How the remaining validity is sent: as a duration, as a time in UTC, or not at all. A duration does not depend on clocks, but some SMSCs reject it.'),
  service_type: setting(ascii(0, 5), '', 'The service_type of every message. Empty: the default of the SMSC.'),
  protocol_id: setting(wholeNumber(0, 255), 0, 'The protocol_id (TP-PID) of every message; 0 is an ordinary SMS.'),
  user_message_reference: setting(switched, 'on', 'Sends a number with each part (TLV 0x0204) that many SMSCs return in its receipt, which identifies a message whose response was lost. On by default, because SMPP requires unknown TLVs to be ignored; off for an SMSC that rejects it.'),
  tlvs: setting(tlvList, '', 'TLVs to send with every message, each tag:type:value, separated by blanks, such as 1400:octets:3031 or 1401:text:1107161234. Types: octets (hexadecimal), text, cstring, int8, int16, int32. Empty: none.'),
  message_ids: setting(oneOf(...idModes), 'auto', 'How message IDs in responses match those in receipts, for SMSCs that write one in hexadecimal and the other in decimal. auto accepts both.'),
  receipt_words: setting(receiptWordList, '', 'Meanings of status words in receipts that SMPP does not define: WORD=meaning, separated by blanks, such as BARRED=undelivered HELD=open. Meanings: delivered, undelivered, open. Any other unknown word counts as undelivered in a final receipt (esm_class 4), with the word as the network code; elsewhere it is ignored. Empty: none.'),
  receipt_pattern: setting(receiptPattern, '', 'Format of receipt texts that do not follow SMPP (appendix B): literal text and, in between, {id}, {stat}, {err}, {submitted} (digits of a date) and {*} for anything, such as {stat},{submitted},{id},{*}. It must match the whole text, and contain {id} and {stat}; receipt_words applies to {stat}, too. Texts that do not match are read in the SMPP format. Empty: none.'),
  // At most one hour: longer than any peer takes, and far from the maximum timer of Node.js.
  bind_timeout_ms: setting(wholeNumber(100, hourMs), limits.bindTimeoutMs, 'Milliseconds to wait for the response to a bind; 10 s is ample.'),
  response_timeout_ms: setting(wholeNumber(100, hourMs), limits.responseTimeoutMs, 'Milliseconds to wait for the response to a submit; after that its outcome is unknown. Better too long than too short; default 30 s.'),
  enquire_link_ms: setting(wholeNumber(1_000, hourMs), limits.enquireLinkMs, 'Milliseconds of silence before an enquire_link is sent. Default 30 s, because connections through NAT are often dropped after a minute.'),
  enquire_link_timeout_ms: setting(wholeNumber(100, hourMs), limits.enquireLinkTimeoutMs, 'Milliseconds to wait for the response to an enquire_link; then the session is reconnected.'),
  inactivity_ms: setting(millisecondsOrNever(1_000, 24 * hourMs), limits.inactivityMs, 'Milliseconds without a message after which the session is reconnected; 0 means never. Default 0, because enquire_link keeps it alive.'),
  reconnect_least_ms: setting(wholeNumber(0, hourMs), 0, 'Minimum milliseconds between the end of a session or attempt and the next attempt, also when changed settings require a reconnect; meanwhile the reason is `bind_postponed`. The end is not known to another server or after a restart; `device test` does not wait. Default 0, to restore a lost session quickly; some providers require a pause.'),
  reconnect_first_ms: setting(wholeNumber(100, hourMs), 1_000, 'Maximum milliseconds before the first attempt after a lost session; each failure in a row doubles them, with random jitter.'),
  reconnect_longest_ms: setting(wholeNumber(100, hourMs), 60_000, 'Maximum milliseconds between two attempts. Default 1 min, so that an SMSC that recovers is used soon.'),
  status_classes: setting(statusList, '', 'Meanings of command_status values for an SMSC that does not follow the table: status=class, separated by blanks, such as 0x14=now 0x400=good. Empty: the table.'),
  country: setting(country, countrySetting.default, countrySetting.summary),
  trace: setting(switched, 'off', 'Logs every PDU, without texts, names and passwords, and with masked numbers. Off by default, because of the volume.'),
} // prettier-ignore

type Name = keyof typeof table
type Value<N extends Name> = (typeof table)[N] extends Setting<infer T> ? T : never

/** Every setting of a link, with the check of its value. */
export const smppSettings: readonly SettingRule[] = Object.entries(table).map(
  ([name, { reader, default: byDefault, summary, required: isRequired }]: [string, Setting<unknown>]) => ({
    name,
    default: byDefault,
    summary,
    check: (value) => (reader.read(value) === undefined ? reader.wrong : null),
    ...(isRequired && { required: isRequired }),
    ...(reader.choices && { choices: reader.choices }),
  }),
)

/**
 * Parses settings that were checked by `smppSettings`; missing ones get their default. Throws for unknown and
 * for missing required ones.
 */
export function readSettings(given: Readonly<Record<string, string>>): SmppSettings {
  const valueOf = <N extends Name>(name: N): Value<N> => {
    const { reader, default: byDefault } = table[name] as Setting<Value<N>>
    const value = reader.read(given[name] ?? byDefault)
    if (value === undefined) throw new RangeError(`The setting ${name} ${reader.wrong}.`)
    return value
  }
  const tls = readTls(valueOf)
  // The service uses it, not the link: here it is only checked.
  valueOf('country')
  const inbound = valueOf('inbound_alphabet')
  const [firstMs, longestMs] = [valueOf('reconnect_first_ms'), valueOf('reconnect_longest_ms')]
  return {
    host: valueOf('host'),
    port: valueOf('port'),
    tls: valueOf('tls') ? tls : null,
    bindAs: valueOf('bind'),
    login: {
      systemId: valueOf('system_id'),
      systemType: valueOf('system_type'),
      interfaceVersion: valueOf('interface_version') === '5.0' ? 0x50 : 0x34,
      addressRange: valueOf('address_range'),
    },
    sessions: valueOf('sessions'),
    limits: {
      ...limits,
      window: valueOf('window'),
      bindTimeoutMs: valueOf('bind_timeout_ms'),
      responseTimeoutMs: valueOf('response_timeout_ms'),
      enquireLinkMs: valueOf('enquire_link_ms'),
      enquireLinkTimeoutMs: valueOf('enquire_link_timeout_ms'),
      inactivityMs: valueOf('inactivity_ms'),
    },
    maxPerSecond: valueOf('max_per_second'),
    reconnect: { minMs: valueOf('reconnect_least_ms'), firstMs, longestMs: Math.max(firstMs, longestMs) },
    message: readMessage(valueOf),
    inboundAlphabet: inbound === 'same' ? valueOf('alphabet') : inbound,
    messageIds: valueOf('message_ids'),
    receipts: { words: valueOf('receipt_words'), pattern: valueOf('receipt_pattern') },
    receiptsPer: valueOf('receipts_per'),
    statusOverrides: valueOf('status_classes'),
    trace: valueOf('trace'),
  }
}

type ValueOf = <N extends Name>(name: N) => Value<N>

const readTls = (valueOf: ValueOf): TlsFiles => ({
  verify: valueOf('tls_verify'),
  serverName: valueOf('tls_server_name'),
  caFile: valueOf('tls_ca_file'),
  certFile: valueOf('tls_cert_file'),
  keyFile: valueOf('tls_key_file'),
})

const readMessage = (valueOf: ValueOf): MessageSettings => ({
  sourceTon: valueOf('source_ton'),
  sourceNpi: valueOf('source_npi'),
  destinationTon: valueOf('destination_ton'),
  destinationNpi: valueOf('destination_npi'),
  defaultSender: valueOf('default_sender'),
  alphabet: valueOf('alphabet'),
  gsmPacking: valueOf('gsm_packing'),
  dataCoding: valueOf('data_coding'),
  concat: valueOf('concat'),
  receipts: valueOf('receipts'),
  validity: valueOf('validity'),
  serviceType: valueOf('service_type'),
  protocolId: valueOf('protocol_id'),
  userMessageReference: valueOf('user_message_reference'),
  tlvs: valueOf('tlvs'),
})
