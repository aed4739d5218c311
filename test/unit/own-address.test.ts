import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  isLoopbackHost,
  linkAddress,
  loopbackAddress,
  ownAddress,
  signUpMode,
} from '../../src/process/own-address.ts'

test('the own address is what is set, else where the service listens', () => {
  expect(ownAddress(readConfig({}))).toBe('http://localhost:8160')
  expect(ownAddress(readConfig({ ONESIXTY_PORT: '0' }), 4711)).toBe('http://localhost:4711')
  expect(ownAddress(readConfig({ ONESIXTY_HOST: '::1' }))).toBe('http://[::1]:8160')
  expect(
    ownAddress(readConfig({ ONESIXTY_HOST: '10.0.0.1', ONESIXTY_TLS_CERT: 'c', ONESIXTY_TLS_KEY: 'k' })),
  ).toBe('https://10.0.0.1:8160')
  expect(ownAddress(readConfig({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org' }), 4711)).toBe(
    'https://sms.example.org',
  )
})

test('programs of this machine go to the number, where no certificate wants the name', () => {
  const to = (env: Record<string, string>) => loopbackAddress(readConfig(env))
  expect(to({})).toBe('http://127.0.0.1:8160')
  expect(to({ ONESIXTY_HOST: '0.0.0.0', ONESIXTY_PORT: '99' })).toBe('http://127.0.0.1:99')
  expect(to({ ONESIXTY_HOST: '::' })).toBe('http://[::1]:8160')
  expect(to({ ONESIXTY_HOST: '10.0.0.1' })).toBe('http://10.0.0.1:8160')
  expect(to({ ONESIXTY_TLS_CERT: 'c', ONESIXTY_TLS_KEY: 'k' })).toBe('https://localhost:8160')
  expect(to({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org' })).toBe('https://sms.example.org')
})

test('everybody may sign up while only this machine can, and with an invitation otherwise', () => {
  const mode = (env: Record<string, string>) => signUpMode(readConfig(env))
  expect(mode({})).toBe('open')
  expect(mode({ ONESIXTY_HOST: '::1', ONESIXTY_PUBLIC_URL: 'http://localhost:8160' })).toBe('open')
  expect(mode({ ONESIXTY_HOST: '0.0.0.0' })).toBe('invite')
  expect(mode({ ONESIXTY_HOST: '::' })).toBe('invite')
  // Behind a proxy on the same machine.
  expect(mode({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org' })).toBe('invite')
  expect(mode({ ONESIXTY_HOST: '0.0.0.0', ONESIXTY_SIGNUP: 'open' })).toBe('open')
  expect(mode({ ONESIXTY_SIGNUP: 'closed' })).toBe('closed')
})

test('names that only look like this machine are not it', () => {
  for (const name of ['localhost', 'onesixty.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect(isLoopbackHost(name), name).toBe(true)
  for (const name of [
    'localhost.example.org',
    '127.0.0.1.example.org',
    '1270.0.0.1',
    '0.0.0.0',
    '[::]',
    'notlocalhost',
  ])
    expect(isLoopbackHost(name), name).toBe(false)
})

test('the token of a link stands where no server sees it', () => {
  const { pathname, search, hash } = new URL(linkAddress('https://sms.example.org', 'secret'))
  expect([pathname, search, hash]).toEqual(['/link', '', '#secret'])
})
