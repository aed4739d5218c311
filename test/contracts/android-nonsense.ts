import type { Nonsense } from './kind-contract.ts'

const numbers = ['-1', '1.5', '1e3', '0x10', ' 1', '', 'many', '9999999999999', '٣', '01']
const simNumbers = ['4915112345678', '+0123456789', '+12345678901234567', '0151 12345678', 'ACME', '*']

/** For each setting of a phone, values that it must refuse. */
export const nonsense: Nonsense = {
  sim_1_number: simNumbers,
  sim_2_number: simNumbers,
  sim_3_number: simNumbers,
  country: ['de', 'XX', 'DEU', '49', '+49'],
  sim_selection: ['', 'Phone', 'both', '1'],
  page: [...numbers, '0', '101'],
  ping_interval_s: [...numbers, '59', '86401'],
  keep_alive_s: [...numbers, '4', '61'],
  wake_interval_ms: [...numbers, '999', '60001'],
  wake_answer_s: [...numbers, '1', '301'],
  probe_after_s: [...numbers, '59', '86401'],
  drain_s: [...numbers, '4', '601'],
  resync_after_s: [...numbers, '59', '43201'],
  limit_rest_min: [...numbers, '0', '1441'],
  late_after_min: [...numbers, '15', '1441'],
  offline_after_min: [...numbers, '16', '10081'],
  local_address: ['8.8.8.8', '192.168.1.300', 'http://192.168.1.2', '192.168.1.2:0', '192.168.1.2:65536', '192.168.1.2/x', 'a b', '[2001:db8::1]', 'sms:x@10.0.0.1'],
  local_user: ['', 'a b', 'ä', 'x'.repeat(65)],
  local_id: ['a b', 'x'.repeat(65)],
  visit_ms: [...numbers, '199', '60001'],
  visit_idle_s: [...numbers, '0', '3601'],
  inbox_days: [...numbers, '0', '31'],
} // prettier-ignore
