import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownAddresses } from '../../src/reach/find-addresses.ts'
import { freePort } from '../free-port.ts'
import { startApp } from '../harness.ts'
import { cli } from '../run-command.ts'
import { openCertificates } from './made-certificates.ts'

/** An address of this machine that others can know; a machine without a network has none. */
const own = ownAddresses()[0]

interface Documents {
  doctor: { ok: boolean; summary: string; remedy: string | null } | undefined
  connect: { ok: boolean; last: { part: string; summary: string } | undefined }
}

/** Starts the server, and asks `device connect` and then `doctor` about its address for phones. */
async function askBoth(
  settings: (files: { port: number; cert: string; key: string; root: string }) => {
    server: Record<string, string>
    command?: Record<string, string>
  },
): Promise<Documents> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-reach-'))
  const certificates = openCertificates()
  onTestFinished(async () => (certificates.close(), rm(folder, { recursive: true })))
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const now = Date.now()
  const at = (ms: number): string => `${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`
  const made = certificates.sign(`IP:${own}`, { from: at(now - 60_000), to: at(now + 90 * 86_400_000) })
  const { server, command = server } = settings({
    port: await freePort(),
    cert: await file('chain.pem', made.cert),
    key: await file('key.pem', made.key),
    root: await file('root.pem', certificates.root),
  })
  const { dataFolder, stop } = await startApp(server)
  onTestFinished(stop)
  const run = async (line: string): Promise<unknown> => {
    const { stdout, stderr } = await cli([...line.split(' '), '--json'], { dataFolder, env: command })
    return JSON.parse(stdout === '' ? stderr : stdout)
  }
  const { reach } = (await run('device connect android --shared')) as {
    reach: { ok: boolean; steps: { part: string; summary: string }[] }
  }
  const { checks } = (await run('doctor')) as {
    checks: { name: string; ok: boolean; summary: string; remedy: string | null }[]
  }
  return {
    connect: { ok: reach.ok, last: reach.steps.at(-1) },
    doctor: checks.find(({ name }) => name === 'phone_address'),
  }
}

test.skipIf(own === undefined)(
  'a right address is fine for device connect, with the root that the phones have; for doctor only a phone can show it',
  async () => {
    const { doctor, connect } = await askBoth(({ port, cert, key, root }) => ({
      server: {
        ONESIXTY_HOST: String(own),
        ONESIXTY_PORT: String(port),
        ONESIXTY_PUBLIC_URL: `https://${own}:${port}`,
        ONESIXTY_TLS_CERT: cert,
        ONESIXTY_TLS_KEY: key,
        ONESIXTY_PHONE_ROOTS: root,
      },
    }))
    expect(connect).toMatchObject({ ok: true, last: { part: 'path' } })
    expect(doctor).toMatchObject({
      ok: false,
      remedy: expect.stringContaining('reach and open its link with a phone'),
      summary: expect.stringContaining('only a phone can show'),
    })
  },
)

test.skipIf(own === undefined)(
  'an https address of a server that listens on 127.0.0.1 with HTTP is said to lead nowhere',
  async () => {
    const { doctor, connect } = await askBoth(({ port }) => ({
      server: { ONESIXTY_PORT: String(port), ONESIXTY_PUBLIC_URL: `https://${own}:${port}` },
    }))
    const words = /Nothing listens at \S+: the server listens on 127\.0\.0\.1 only\./
    expect(connect).toMatchObject({
      ok: false,
      last: { part: 'port', summary: expect.stringMatching(words) },
    })
    expect(doctor).toMatchObject({ ok: false, summary: expect.stringMatching(words) })
    expect(doctor?.remedy).toContain('ONESIXTY_HOST')
  },
)

test('a command that knows another secret than the server is told that another instance answers', async () => {
  const { connect } = await askBoth(({ port }) => ({
    server: { ONESIXTY_PORT: String(port) },
    command: { ONESIXTY_PORT: String(port), ONESIXTY_SECRET: 'another secret than that of the server' },
  }))
  expect(connect).toMatchObject({
    ok: false,
    last: { part: 'path', summary: expect.stringContaining('Another onesixty answers') },
  })
})
