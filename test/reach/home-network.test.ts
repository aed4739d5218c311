import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { failureOf, type Reach } from '../../src/reach/reach.ts'
import { isLong } from '../proof-sizes.ts'
import {
  addressOf,
  droppedAddress,
  type HomeNetwork,
  type Machine,
  openHomeNetwork,
  prohibitedAddress,
  publicAddress,
} from './home-network.ts'
import { openCertificates } from './made-certificates.ts'

const programs = join(import.meta.dirname, 'reach-programs.ts')

test('the two programs of this test find each other on one machine, by HTTP', async () => {
  const server = spawn(process.execPath, [programs, 'serve', '127.0.0.1', '0', 'us'], { stdio: ['ignore', 'pipe', 'inherit'] }) // prettier-ignore
  onTestFinished(() => void server.kill('SIGKILL'))
  const [said] = (await once(server.stdout, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${said.toString().trim()}`
  const { stdout } = await promisify(execFile)(process.execPath, [programs, 'try', url])
  expect((JSON.parse(stdout) as Reach).steps.map(({ part, isOk }) => `${part} ${isOk}`)).toEqual([
    'name true',
    'port true',
    'path true',
    'route false',
  ])
})

// Not left out in `npm test`, but not there: namespaces and iproute2 are no part of it.
describe.for(isLong() ? ['in a home behind a router'] : [])('%s', () => {
  let home: HomeNetwork
  let folder: string
  beforeEach(async () => {
    home = await openHomeNetwork()
    folder = mkdtempSync(join(tmpdir(), 'onesixty-home-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const certificates = openCertificates()
    onTestFinished(() => certificates.close())
    const { cert, key } = certificates.sign(`IP:${addressOf.server},IP:${publicAddress}`)
    for (const [name, text] of Object.entries({ root: certificates.root, cert, key }))
      writeFileSync(join(folder, `${name}.pem`), text)
  })
  const serve = (machine: Machine, host: string, port: number, { as = 'us', isPlain = false } = {}) =>
  home.start(machine, [process.execPath, programs, 'serve', host, String(port), as, ...(isPlain ? [] : [folder])]) // prettier-ignore
  const failure = (machine: Machine, url: string) => {
    const reach = JSON.parse(home.run(machine, [process.execPath, programs, 'try', url, folder])) as Reach
    return failureOf(reach)
  }

  test('the address of the server in the LAN is reached by its own machine and by the phone', async () => {
    await serve('server', addressOf.server, 8443)
    const url = `https://${addressOf.server}:8443`
    expect([failure('server', url), failure('phone', url)]).toEqual([null, null])
  })

  test('where the access point isolates its clients only the phone itself can tell', async () => {
    await serve('server', addressOf.server, 8443)
    home.isolateClients()
    const url = `https://${addressOf.server}:8443`
    expect(failure('server', url)).toBeNull()
    expect(failure('phone', url)).toMatchObject({
      part: 'route',
      summary: expect.stringMatching(
        /^There is no answer from 192\.168\.7\.2:8443 \((ETIMEDOUT|EHOSTUNREACH)\)\.$/,
      ),
    })
  })

  test('a router that leads no connection from inside to its own public address is named, however it says so', async () => {
    await serve('server', addressOf.server, 443)
    const mayBeHairpin = expect.stringContaining(
      'A router may also refuse connections from inside to its own public address: then try from a phone with mobile data.',
    )
    expect(failure('server', `https://${publicAddress}`)).toEqual({
      part: 'port',
      isOk: false,
      summary: `Nothing listens at ${publicAddress}:443.`,
      remedy: mayBeHairpin,
    })
    expect(failure('server', `https://${droppedAddress}`)).toMatchObject({
      part: 'route',
      summary: `There is no answer from ${droppedAddress}:443 (ETIMEDOUT).`,
      remedy: mayBeHairpin,
    })
    expect(failure('server', `https://${prohibitedAddress}`)).toMatchObject({
      part: 'route',
      summary: expect.stringMatching(
        /^There is no answer from 203\.0\.113\.9:443 \(E(HOSTUNREACH|ACCES)\)\.$/,
      ),
      remedy: mayBeHairpin,
    })
  })

  test('the page of the router at the public address is another program, by HTTPS and by HTTP', async () => {
    await serve('router', publicAddress, 443, { as: 'router' })
    await serve('router', publicAddress, 80, { as: 'router', isPlain: true })
    for (const url of [`https://${publicAddress}`, `http://${publicAddress}`])
      expect(failure('server', url)).toMatchObject({
        part: 'path',
        summary: `Another program answers at ${publicAddress} (micro_httpd), with status 200.`,
        remedy: expect.stringContaining('It may be the page of a router'),
      })
  })

  test('HTTP at the port of HTTPS is a fault of the certificate', async () => {
    await serve('server', addressOf.server, 443, { isPlain: true })
    expect(failure('phone', `https://${addressOf.server}`)).toMatchObject({
      part: 'certificate',
      summary: `${addressOf.server} speaks HTTP, not HTTPS.`,
    })
  })
})
