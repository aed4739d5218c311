import { expect, test } from 'vitest'
import { phoneAddress } from '../../src/devices/phones/phone-address.ts'

const config = { publicUrl: null, host: '127.0.0.1', port: 8160, tlsCert: null, phoneListen: null }

test('is the public address where there is one, else what the service listens on', () => {
  expect(phoneAddress({ ...config, publicUrl: 'https://sms.example.org' })).toBe(
    'https://sms.example.org/mobile/v1',
  )
  const phoneListen = { host: '192.168.1.10', port: 8443 }
  expect(phoneAddress({ ...config, publicUrl: 'https://sms.example.org', phoneListen })).toBe(
    'https://192.168.1.10:8443/mobile/v1',
  )
  expect(phoneAddress(config)).toBe('http://127.0.0.1:8160/mobile/v1')
  expect(phoneAddress({ ...config, host: '::1', tlsCert: '/cert.pem' })).toBe('https://[::1]:8160/mobile/v1')
})
