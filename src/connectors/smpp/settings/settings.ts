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

/** What an operator has set of a link, as its parts take it. The password is a secret and not among it. */
export interface SmppSettings {
  host: string
  port: number
  /** Null is plain TCP. The files are read by whoever opens the link. */
  tls: TlsFiles | null
  bindAs: 'transceiver' | 'pair' | 'transmitter' | 'receiver'
  login: Omit<BindFields, 'password'>
  sessions: number
  limits: SessionLimits
  /** Null is no bound. */
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
  says: string
  required?: true
}

const setting = <T>(reader: SettingReader<T>, byDefault: string | number, says: string): Setting<T> => ({
  reader,
  default: String(byDefault),
  says,
})
const required = <T>(reader: SettingReader<T>, says: string): Setting<T> => ({
  ...setting(reader, '', says),
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
  port: required(wholeNumber(1, 65_535), 'Its port; required. 2775 is the one registered for SMPP, but most providers have others, and another again for TLS.'),
  system_id: required(ascii(1, 64), 'The name of the account at the SMSC; required.'),
  system_type: setting(ascii(0, 64), '', 'Sent with the bind; empty unless the carrier names one.'),
  bind: setting(oneOf('transceiver', 'pair', 'transmitter', 'receiver'), 'transceiver', 'How a session is bound: both ways at once, which came with SMPP 3.4; a pair of connections, one for each way; only to send; only to receive. Nothing falls back by itself.'),
  sessions: setting(wholeNumber(1, 20), 1, 'How many sessions, or pairs, are kept up at once. One is what every provider allows.'),
  window: setting(wholeNumber(1, 1000), limits.window, 'Submits of a session that may wait for their answer. Parts a second are at most sessions × window / round trip; 10 is what providers advise.'),
  max_per_second: setting(ratePerSecond, '', 'Parts a second over all sessions, fractions too (0.2 is one in 5 s); empty is no bound. Set the rate of the contract: the link slows down by itself when throttled, but each complaint costs a second.'),
  tls: setting(switched, 'off', 'TLS 1.2 or later, on a port of its own. Off, because the usual port speaks plain TCP; switch it on wherever there is a port for it: without it passwords and texts go in clear.'),
  tls_verify: setting(switched, 'on', 'Checks the certificate and its name. Off takes any: then nobody knows who listens.'),
  tls_server_name: setting(optional(hostName), '', 'The name asked for and expected in the certificate; empty is the host.'),
  tls_ca_file: setting(optional(filePath), '', 'File (PEM) of who may have signed the certificate; empty is what Node.js trusts.'),
  tls_cert_file: setting(optional(filePath), '', 'File (PEM) of our own certificate, for SMSCs that ask for one; with its key. Empty is none.'),
  tls_key_file: setting(optional(filePath), '', 'File (PEM) of the key to that certificate. Empty is none.'),
  interface_version: setting(oneOf('3.4', '5.0'), '3.4', 'The version of SMPP that the bind names. 3.4, since some SMSCs take nothing else.'),
  address_range: setting(addressRange, '', 'Sent with the bind: which numbers the session serves, in the way of the SMSC, such as ^1234 or 1:1:^49. Empty, which leaves it to the account.'),
  source_ton: setting(octetOrAuto, 'auto', 'Type of number of every sender. auto: 1 for E.164, 3 for short codes, 5 for names, 0 for none.'),
  source_npi: setting(octetOrAuto, 'auto', 'Numbering plan of every sender. auto: 1 for E.164, else 0.'),
  destination_ton: setting(octetOrAuto, 'auto', 'Type of number of every recipient. auto: 1, since all are in E.164.'),
  destination_npi: setting(octetOrAuto, 'auto', 'Numbering plan of every recipient. auto: 1.'),
  default_sender: setting(sender, '', 'The sender of messages that name none; empty leaves it to the SMSC.'),
  data_coding: setting(wholeNumber(0, 255), 0, 'The data_coding of texts in the default alphabet. 0 is the default alphabet of the SMSC. UCS-2 is always 8.'),
  alphabet: setting(oneOf('gsm7', 'latin1', 'ascii'), 'gsm7', 'What that default alphabet is. Texts with a character outside of it go as UCS-2 and may need more parts than were priced. GSM 03.38 at most SMSCs.'),
  inbound_alphabet: setting(oneOf('same', 'gsm7', 'latin1', 'ascii'), 'same', 'What it is in messages that come in; same is that of alphabet. A text in gsm7 with an octet that no septet is (0x80 and above) is read as Latin-1, or as UTF-8 where it is sound as that, whatever this says, and what names a national language (TS 23.038, annex A) by its tables.'),
  gsm_packing: setting(oneOf('unpacked', 'packed'), 'unpacked', 'One septet in each octet, or eight in seven octets. Only for gsm7; unpacked at nearly all SMSCs.'),
  concat: setting(oneOf('udh8', 'udh16', 'sar', 'payload'), 'udh8', 'How parts are joined: a header with a reference of 8 or of 16 bits (152 instead of 153 septets a part, so perhaps a part more than was priced), TLVs, or the whole text in message_payload. The 8-bit header is what every handset and SMSC knows.'),
  receipts: setting(oneOf('all', 'failures', 'none'), 'all', 'Which receipts are asked for. With all, because without them nobody learns what was delivered. With failures a message is final as sent, and becomes undelivered when the network says so.'),
  receipts_per: setting(oneOf('part', 'message'), 'part', 'What a receipt speaks of: its part, as SMPP has it, or all of a long message, at SMSCs that send one receipt for it. A receipt whose sub and dlvrd are the number of parts speaks of all in any case.'),
  validity: setting(oneOf('relative', 'absolute', 'none'), 'relative', 'How the rest of the validity goes along: as a span, as a time in UTC, or not at all. A span does not depend on clocks, but some SMSCs refuse it.'),
  service_type: setting(ascii(0, 5), '', 'The service_type of every message; empty is the default of the SMSC.'),
  protocol_id: setting(wholeNumber(0, 255), 0, 'The protocol_id (TP-PID) of every message; 0 is an ordinary SMS.'),
  user_message_reference: setting(switched, 'on', 'Gives each part a number (TLV 0x0204) that many SMSCs send back with its receipt: then a message whose answer was lost is found again. On, since SMPP has what is not known ignored; off for an SMSC that refuses it.'),
  tlvs: setting(tlvList, '', 'TLVs that go with every message, each tag:type:value with blanks between, such as 1400:octets:3031 or 1401:text:1107161234. Types: octets (hexadecimal), text, cstring, int8, int16, int32. Empty is none.'),
  message_ids: setting(oneOf(...idModes), 'auto', 'How the ids of answers become those of receipts, where an SMSC writes one in hexadecimal and the other in decimal. auto takes either.'),
  receipt_words: setting(receiptWordList, '', 'What words of receipts mean that are none of SMPP: WORD=meaning with blanks between, such as BARRED=undelivered HELD=open; meanings: delivered, undelivered, open. A word that is neither here nor of SMPP counts as undelivered in a receipt that tells an end (esm_class 4), with the word as the code of the network; elsewhere it is passed over. Empty is none.'),
  receipt_pattern: setting(receiptPattern, '', 'The form of the text of receipts, where it is none of SMPP (appendix B): words as they stand and, between them, {id}, {stat}, {err}, {submitted} (digits of a date) and {*} for anything, such as {stat},{submitted},{id},{*}. It fits from the beginning of the text to its end, and names {id} and {stat}; what {stat} says is read by receipt_words, too. Texts that do not fit are read as ever. Empty is none.'),
  // An hour at most: longer than any peer waits, and far from the longest timer of Node.js.
  bind_timeout_ms: setting(wholeNumber(100, hourMs), limits.bindTimeoutMs, 'Milliseconds from a bind to its answer; 10 s is ample.'),
  response_timeout_ms: setting(wholeNumber(100, hourMs), limits.responseTimeoutMs, 'Milliseconds from a submit to its answer; then nobody knows whether it was taken. Better too long than too short: 30 s.'),
  enquire_link_ms: setting(wholeNumber(1_000, hourMs), limits.enquireLinkMs, 'Milliseconds of silence after which we ask whether the SMSC lives. 30 s, since connections through NAT are often dropped after a minute.'),
  enquire_link_timeout_ms: setting(wholeNumber(100, hourMs), limits.enquireLinkTimeoutMs, 'Milliseconds that it may take to answer; then the session is made anew.'),
  inactivity_ms: setting(millisecondsOrNever(1_000, 24 * hourMs), limits.inactivityMs, 'Milliseconds without a message after which the session is made anew; 0 is never, the default, since enquire_link keeps it alive.'),
  reconnect_least_ms: setting(wholeNumber(0, hourMs), 0, 'Milliseconds, at least, between the end of a session or of a try and the next try, also where the link is made anew for changed settings: its reason is `bind_postponed` meanwhile. Another server and one that was started anew know of no end before; `device test` does not wait. 0, so that a lost session is back soon; some providers name a time.'),
  reconnect_first_ms: setting(wholeNumber(100, hourMs), 1_000, 'Milliseconds, at most, until the first try after a lost session; each failure in a row doubles them, and chance spreads them.'),
  reconnect_longest_ms: setting(wholeNumber(100, hourMs), 60_000, 'Milliseconds, at most, between two tries: a minute, so that a repaired SMSC is not kept waiting.'),
  status_classes: setting(statusList, '', 'What a command_status means here, where the SMSC does not follow the table: status=class with blanks between, such as 0x14=now 0x400=good. Empty is the table.'),
  country: setting(country, countrySetting.default, countrySetting.says),
  trace: setting(switched, 'off', 'Logs every PDU, texts, names and passwords left out, numbers masked. Off, because it is much.'),
} // prettier-ignore

type Name = keyof typeof table
type Value<N extends Name> = (typeof table)[N] extends Setting<infer T> ? T : never

/** Every setting of a link, with the check of its value. */
export const smppSettings: readonly SettingRule[] = Object.entries(table).map(
  ([name, { reader, default: byDefault, says, required: isRequired }]: [string, Setting<unknown>]) => ({
    name,
    default: byDefault,
    says,
    check: (value) => (reader.read(value) === undefined ? reader.wrong : null),
    ...(isRequired && { required: isRequired }),
    ...(reader.choices && { choices: reader.choices }),
  }),
)

/** Reads settings that were checked by `smppSettings`; those left out have their default. Throws for others and for missing ones. */
export function readSettings(given: Readonly<Record<string, string>>): SmppSettings {
  const valueOf = <N extends Name>(name: N): Value<N> => {
    const { reader, default: byDefault } = table[name] as Setting<Value<N>>
    const value = reader.read(given[name] ?? byDefault)
    if (value === undefined) throw new RangeError(`The setting ${name} ${reader.wrong}.`)
    return value
  }
  const tls = readTls(valueOf)
  // The service uses it, and no part of the link: here it is only checked.
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
