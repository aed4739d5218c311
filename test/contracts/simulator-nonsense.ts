import type { Nonsense } from './kind-contract.ts'

const numbers = ['-1', '1.5', '1e3', '0x10', ' 1', '', 'many', '9999999999999', '٣']
const flags = ['yes', '1', 'TRUE', '', ' true']

/** For each setting of a simulator, values that it must refuse. */
export const nonsense: Nonsense = {
  offline: flags,
  delay_ms: [...numbers, '3600001'],
  submit_delay_ms: [...numbers, '60001'],
  refuse: ['', 'all', 'Good', 'good,now', 'expired'],
  fail: ['', 'true', 'Unknown'],
  drop_receipts: flags,
  window: [...numbers, '0', '10001'],
  peer_url: [
    'http://example.com/',
    'http://localhost:8170/',
    'http://0.0.0.0:8170/',
    'http://127.0.0.1.example.com/',
    'http://192.168.0.1/',
    'http://[::2]/',
    'http://user:password@127.0.0.1/',
    'https://127.0.0.1/',
    'file:///etc/passwd',
    '127.0.0.1:8170',
  ],
}
