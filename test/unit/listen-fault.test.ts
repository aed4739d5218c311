import { expect, test } from 'vitest'
import { listenFault } from '../../src/cli/server/listen-fault.ts'
import { ConfigError } from '../../src/config.ts'

test.each([
  ['EACCES', true, 'Permission denied: cannot listen on port 80. Set ONESIXTY_PORT to a port above 1023.'],
  ['EADDRINUSE', false, 'Port 80 of sms.example.org is in use.'],
  ['EADDRNOTAVAIL', false, 'Set ONESIXTY_HOST to one'],
  ['ENOTFOUND', false, 'Unknown host sms.example.org.'],
])(
  'that a server may not listen (%s) is a matter of settings: %s; what may pass by itself is tried again',
  (code, isSettings, sentence) => {
    const error = listenFault(Object.assign(new Error('listen'), { code }), {
      host: 'sms.example.org',
      port: 80,
    })
    expect(error).toMatchObject({ message: expect.stringContaining(sentence) })
    expect(error instanceof ConfigError).toBe(isSettings)
  },
)

test('any other fault stays what it is', () => {
  const fault = new Error('no memory')
  expect(listenFault(fault, { host: '127.0.0.1', port: 80 })).toBe(fault)
})
