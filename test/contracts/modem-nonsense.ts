import type { Nonsense } from './kind-contract.ts'

const numbers = ['-1', '1.5', '1e3', '0x10', ' 1', '', 'many', '9999999999999', '٣', '01']
const words = ['', 'all of it', 'Off', 'gsm', 'yes', '1']

/** For each setting of a modem, values that it must refuse. */
export const nonsense: Nonsense = {
  port: ['', ' ', 'ttyUSB0', './ttyUSB0', '~/tty', 'COM', 'COM1234', 'com5', 'tcp://', 'tcp://a', 'tcp://a:0', 'tcp://a:65536', 'tcp://a b:1', 'tcp://a:1/', 'udp://a:1', 'http://a:1', 'tcp://::1:1', `/${'x'.repeat(1024)}`],
  baud: [...numbers, '299', '4000001'],
  imei: ['12345678901234', '1234567890123456', '12345678901234x', '٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣'],
  sim_mark: ['0123456789abcde', '0123456789ABCDEF', '0123456789abcdefg', '8949020000000000000'],
  profile: [...words, 'Huawei', 'siemens'],
  smsc: ['491710760000', '+0491710760000', '+49', '+49 171', '00491710760000', '+4917107600001234'],
  receipts: ['', 'All', 'some', 'failures'],
  recover: [...words, 'Radio', 'reset'],
  report_route: [...words, '+CDS', 'Direct'],
  concat: [...words, 'udh', 'sar', 'payload'],
  validity: ['', 'Relative', '3600', 'never'],
  storage: [...words, 'sm', 'SR', 'BM'],
  command_timeout_ms: [...numbers, '499', '3600001'],
  send_timeout_ms: [...numbers, '999', '3600001'],
  pause_ms: [...numbers, '10001'],
  keep_alive_ms: [...numbers, '999', '3600001', '0'],
  init: ['CGSMS=1', 'AT', 'AT+CPIN="1234"', 'at+cpin="1234"', 'AT+CGSMS=1;AT+CMGD=1,4', 'ATD+49171;', 'AT&F&W', 'AT+CMGS=20', 'AT+EGMR=1,7,"1"', 'AT+CLCK="SC",0,"1"', `AT+X=${'1'.repeat(500)}`, 'ATé'],
  error_classes: ['500', '500=', '500=soon', 'CMS 500=now', '500=now 500=good', '=now', '-1=now', '500=Now', '100000=now'],
  ussd_balance: ['100', '*100', 'AT', '*1"#', `*${'1'.repeat(31)}#`],
  ussd_hours: [...numbers, '0', '721'],
  ussd_pattern: ['(', '[', 'x'.repeat(101)],
  ussd_low: ['-1', '1,50', '1.555', 'little', '1234567'],
  node: ['two words', 'ü', 'a/b', 'x'.repeat(101)],
  country: ['de', 'Germany', 'ZZ', 'EU', 'D', '49', ' DE', 'DE,AT', 'constructor'],
  trace: words,
} // prettier-ignore
