import type { Nonsense } from './kind-contract.ts'

const numbers = ['-1', '1.5', '1e3', '0x10', ' 1', '', 'many', '9999999999999', '٣', '01']
const milliseconds = [...numbers, '99', '3600001']
const octets = [...numbers, '256', 'AUTO']
const words = ['', 'all of it', 'Off', 'gsm', 'yes', '1']
const files = ['ca.pem', './ca.pem', '~/ca.pem', 'file:///etc/ca.pem', '/a\0b', `/${'x'.repeat(4096)}`]

/** For each setting of an SMPP link, values that it must refuse. */
export const nonsense: Nonsense = {
  host: ['', ' ', 'a b', 'smpp://smsc.example', 'smsc.example:2775', 'smsc.example/', '-a', '[::1]', 'müller.example'],
  port: [...numbers, '0', '65536'],
  system_id: ['', 'é', 'x'.repeat(65), '\t'],
  system_type: ['é', 'x'.repeat(65), '\u007F'],
  bind: [...words, 'trx', 'Transceiver'],
  sessions: [...numbers, '0', '21'],
  window: [...numbers, '0', '1001'],
  max_per_second: ['0', '-1', '1e3', ' 1', '.5', '5.', '1,5', 'Infinity', 'NaN', '0.0001', '100001', '٣'],
  tls: words,
  tls_verify: words,
  tls_server_name: ['a b', 'smsc.example:2775', 'https://smsc.example', '*'],
  tls_ca_file: files,
  tls_cert_file: files,
  tls_key_file: files,
  interface_version: [...words, '3.3', '34', '5', '0x34'],
  address_range: ['é', 'x'.repeat(41), '256:1:49', '1:256:49'],
  source_ton: octets,
  source_npi: octets,
  destination_ton: octets,
  destination_npi: octets,
  default_sender: ['é', 'twelve chars', 'Onesixty GmbH', '12', '123456789', '+0123456789', '+12345678901234567'],
  data_coding: [...numbers, '256'],
  alphabet: [...words, 'utf8', 'GSM7'],
  inbound_alphabet: [...words, 'utf8', 'Same'],
  gsm_packing: words,
  concat: [...words, 'udh', 'udh32'],
  receipts: ['', 'All', 'some', 'success'],
  receipts_per: ['', 'Part', 'all', '1'],
  receipt_words: ['BARRED', 'BARRED=', 'BARRED=lost', '=open', 'A=open a=delivered', 'É=open'],
  receipt_pattern: ['{id}', '{stat}', '{id}{stat}', '{id} {stat} {id}', '{id} {stat} {sub}', '{id', 'id:{id} {stat}}', `{id} {stat}${'x'.repeat(200)}`],
  validity: ['', 'Relative', '3600', 'never'],
  service_type: ['é', 'x'.repeat(6)],
  protocol_id: [...numbers, '256'],
  user_message_reference: ['yes', '1', ''],
  tlvs: ['1400', '1400:octets:3', '1400:octets:zz', '1400:int8:256', '1400:float:1', '12345:text:a', '424:text:a', '20c:int16:1'],
  message_ids: ['', 'hex', 'Auto', 'decimal'],
  bind_timeout_ms: milliseconds,
  response_timeout_ms: milliseconds,
  enquire_link_ms: [...milliseconds, '999', '0'],
  enquire_link_timeout_ms: milliseconds,
  inactivity_ms: [...numbers, '999', '86400001'],
  reconnect_least_ms: [...numbers, '3600001'],
  reconnect_first_ms: milliseconds,
  reconnect_longest_ms: milliseconds,
  status_classes: ['0x14', '0x14=soon', '0=good', '0x14=now 20=good', '4294967296=good', '=now', '-1=now', '0x14=Now'],
  country: ['de', 'Germany', 'ZZ', 'EU', 'D', '49', ' DE', 'DE,AT', 'constructor'],
  trace: words,
} // prettier-ignore
