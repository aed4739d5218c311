import { stat } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeEach(async () => {
  cli = await openCli({ ONESIXTY_CERTIFICATE_FROM: 'http://127.0.0.1:9/api/v1/' })
})
afterEach(() => cli.close())

test('before the CA is asked for the first time, the command says what that means, and asks nothing', async () => {
  const { code, stderr } = await cli.run('certificate for-phones --address 192.168.1.10')
  expect(code).toBe(1)
  expect(stderr).toContain('The CA learns the private address of this machine')
  expect(stderr).toContain('add --agree')
  const agreed = await cli.run('certificate for-phones --address 192.168.1.10 --agree')
  expect(agreed.stderr).toContain('http://127.0.0.1:9/api/v1 cannot be reached')
})

test('--own makes a root and a certificate, which status lists, with keys that only their owner can read', async () => {
  expect((await cli.run('certificate status')).stdout).toBe('There are no certificates.\n')
  const { stdout } = await cli.run('certificate for-phones --own --address 192.168.1.10')
  expect(stdout).toMatch(/^Certificate for 192\.168\.1\.10, until \d{4}-\d\d-\d\d \(396 days\)\.$/m)
  expect(stdout).toContain(`${cli.dataFolder}/certificates/root.pem`)
  expect(stdout).toContain('ONESIXTY_PHONE_LISTEN=192.168.1.10:8443')
  expect(stdout).toContain('it is at https://192.168.1.10:8443/phone-ca.crt')
  expect(stdout).toMatch(/SHA-256\): ([0-9A-F]{2}:){31}[0-9A-F]{2}$/m)
  expect((await cli.run('certificate status')).stdout).toMatch(
    /^phones: 192\.168\.1\.10, from CN=onesixty root for phones, until \S+ \(396 days\), trusted by phones that have its root installed\n$/,
  )
  for (const name of ['root.key', 'phones.pem'])
    expect((await stat(`${cli.dataFolder}/certificates/${name}`)).mode & 0o077).toBe(0)
})

test.for(['8.8.8.8', '100.64.0.1', '127.0.0.1', '172.32.0.1', 'fd00::1'])(
  '%s is no private IPv4 address',
  async (address) => {
    const { code, stderr } = await cli.run(`certificate for-phones --own --address ${address}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('is no private IPv4 address')])
  },
)
