import type { Nonsense } from './kind-contract.ts'

const numbers = ['-1', '1.5', '1e3', '0x10', ' 1', '', 'many', '9999999999999', '٣', '01']
const decimals = ['-1', '1e3', ' 1', '.5', '5.', '1,5', 'Infinity', 'NaN', '٣', '0.0000001']

/** For each setting of a messaging service, values that it must refuse. */
export const nonsense: Nonsense = {
  provider: ['Twilio', 'twillio', '../twilio', 'constructor', ' '],
  declaration: ['{', '[]', '{}', '"twilio"', '{"format":2}', `"${'x'.repeat(65 * 1024)}"`],
  window: [...numbers, '0', '1001'],
  max_per_second: [...decimals, '0', '0.0001', '100001'],
  timeout_ms: [...numbers, '999', '300001'],
  resolve_s: [...numbers, '3601'],
  status: ['', 'Auto', 'push', 'callback,poll'],
  balance_alert: [...decimals, '1000000001'],
  country: ['de', 'Germany', 'ZZ', 'EU', 'D', '49', ' DE'],
  hook: [...numbers, '1000001'],
  trace: ['', 'true', 'On'],
  tls_ca_file: ['ca.pem', './ca.pem', '~/ca.pem', 'file:///etc/ca.pem', '/a\0b', `/${'x'.repeat(4096)}`],
}
