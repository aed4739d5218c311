import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { program } from '../started-program.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'

const run = promisify(execFile)
/** A network of its own needs user namespaces, which some machines forbid. */
const canUnshare = spawnSync('unshare', ['-rn', 'ip', 'link'], { stdio: 'ignore' }).status === 0

test.skipIf(!canUnshare)(
  'curl and OpenSSL reach the second listener with the root of certificate for-phones --own, and find nothing but /mobile/v1 and the root',
  async () => {
    const dataFolder = await makeTestFolder('onesixty-network-')
    const script = join(import.meta.dirname, '..', 'peers', 'private-network.sh')
    try {
      const { stdout } = await run('unshare', ['-rn', 'sh', script, program.command().join(' ')], {
        env: { PATH: process.env['PATH'], ...databaseSettings(dataFolder) },
        timeout: 90_000,
      })
      expect(stdout.trim().split('\n')).toEqual([
        '/mobile/v1/device 200 0',
        '/api/v1/balance 404 0',
        '/healthz 404 0',
        '/phone-ca.crt 200 0',
        'content-type: application/x-x509-ca-cert',
        'the root, in DER',
        '/ 404 0',
        'without the root curl 60',
        expect.stringMatching(/Verify return code: 0 \(ok\)/),
        '"url":"https://192.168.1.10:8443/mobile/v1"',
        '"reach":{"ok":true',
        expect.stringMatching(/^FAIL {2}phone_address: .*port: Nothing listens at 192\.168\.1\.10:8444/),
      ])
    } finally {
      await removeTestFolder(dataFolder)
    }
  },
  120_000,
)
