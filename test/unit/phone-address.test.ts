import { expect, test } from 'vitest'
import { addressTroubles, phoneAddress } from '../../src/devices/phones/phone-address.ts'

const config = { publicUrl: null, host: '127.0.0.1', port: 8160, tlsCert: null }

test('is the public address where there is one, else what the service listens on', () => {
  expect(phoneAddress({ ...config, publicUrl: 'https://sms.example.org' })).toBe(
    'https://sms.example.org/mobile/v1',
  )
  expect(phoneAddress(config)).toBe('http://127.0.0.1:8160/mobile/v1')
  expect(phoneAddress({ ...config, host: '::1', tlsCert: '/cert.pem' })).toBe('https://[::1]:8160/mobile/v1')
})

test.each([
  ['https://sms.example.org/mobile/v1', []],
  ['https://192.168.1.20:8160/mobile/v1', []],
  ['http://192.168.1.20:8160/mobile/v1', ['only HTTPS']],
  ['https://localhost:8160/mobile/v1', ['cannot reach localhost']],
  ['https://[::1]:8160/mobile/v1', ['cannot reach [::1]']],
  ['http://0.0.0.0:8160/mobile/v1', ['cannot reach 0.0.0.0', 'only HTTPS']],
  ['http://127.0.0.1:8160/mobile/v1', ['cannot reach 127.0.0.1', 'only HTTPS']],
])('says what a phone needs to reach %s', (address, troubles) => {
  expect(addressTroubles(address)).toEqual(troubles.map((trouble) => expect.stringContaining(trouble)))
})
