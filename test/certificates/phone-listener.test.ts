import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createPhoneListener } from '../../src/app/phone-listener.ts'
import { readListenerCertificate } from '../../src/certificates/listener-certificate.ts'
import { obtainCertificate } from '../../src/certificates/obtain-certificate.ts'
import {
  datesOf,
  readPhoneCertificate,
  storePhoneCertificate,
} from '../../src/certificates/certificate-store.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/process/log.ts'
import { eventually } from '../eventually.ts'
import { createStubClock } from '../stub-clock.ts'
import { readPendingRequest } from '../../src/certificates/pending-request.ts'
import { openCa } from './stub-ca.ts'

const address = '127.0.0.1'
const dayMs = 86_400_000
const pending = { status: 202, body: '{"request_id":"r1","status":"pending"}' }

async function openListener(from = 'http://127.0.0.1:1') {
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-listener-'))
  onTestFinished(() => rm(dataFolder, { recursive: true }))
  const clock = createStubClock()
  const obtain = () => obtainCertificate({ dataFolder, clock, from, fetch }, { source: 'own', address })
  await obtain()
  const config = readConfig({
    ONESIXTY_DATA: dataFolder,
    ONESIXTY_PHONE_LISTEN: `${address}:1`,
    ONESIXTY_CERTIFICATE_FROM: from,
  })
  const logLines: string[] = []
  const recorded: number[] = []
  let server: Server | null = null
  const listener = createPhoneListener(
    {
      config,
      clock,
      log: createLog('info', { write: (line) => void logLines.push(line) }),
      phoneCertificate: await readListenerCertificate(config),
      record: async ({ untilMs }) => void recorded.push(untilMs),
    },
    (tls) => {
      const made = (server = createServer(tls, (_request, response) => void response.end('here')))
      return {
        server: made,
        listen: async () => (made.listen(0, address), once(made, 'listening')),
        close: async () => void made.close(),
      }
    },
  )
  await listener?.start()
  onTestFinished(async () => listener?.stop())
  const open = async (): Promise<TLSSocket> => {
    const { port } = server!.address() as AddressInfo
    const socket = connect({ host: address, port, rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    return socket
  }
  return { dataFolder, clock, obtain, open, logLines, recorded, stop: async () => listener?.stop() }
}

const shownBy = (socket: TLSSocket): string | undefined => socket.getPeerX509Certificate()?.toString().trim()

test('a certificate that was replaced is used within a minute, and open connections continue', async () => {
  const { clock, obtain, open } = await openListener()
  const before = await open()
  const { certificate } = await obtain()
  await clock.advance(60_000)
  await eventually(
    async () => shownBy(await open()),
    (shown) => expect(shown).toBe(certificate.trim()),
  )
  before.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [answer] = (await once(before, 'data')) as [Buffer]
  expect(answer.toString()).toContain('200 OK')
})

test('the listener renews its certificate from day 300 on, without a restart', async () => {
  const { clock, open, dataFolder, recorded } = await openListener()
  const first = shownBy(await open())
  clock.jumpWallClock(301 * dayMs)
  await clock.advance(60_000)
  const shown = await eventually(
    async () => shownBy(await open()),
    (now) => expect(now).not.toBe(first),
  )
  const stored = (await readPhoneCertificate(dataFolder))?.certificate ?? ''
  expect(shown).toBe(stored.trim())
  // The node that decides the alerts knows of it.
  await eventually(() => recorded.at(-1), (until) => expect(until).toBe(datesOf(stored).untilMs)) // prettier-ignore
  expect(recorded[0]).toBeLessThan(datesOf(stored).untilMs)
})

test('a stop does not wait for a CA that has not decided, and keeps the request', async () => {
  const ca = await openCa(Array.from({ length: 100 }, () => pending))
  const { clock, dataFolder, logLines, stop } = await openListener(ca.from)
  const made = await readPhoneCertificate(dataFolder)
  await storePhoneCertificate(dataFolder, { ...made!, source: 'ca' })
  clock.jumpWallClock(320 * dayMs)
  await clock.advance(60_000)
  await eventually(() => ca.calls, (calls) => expect(calls).toEqual(['POST /csr'])) // prettier-ignore
  // The clock stands: the next question is never due.
  await eventually(() => clock.waiting, (waiting) => expect(waiting).toBeGreaterThan(0)) // prettier-ignore
  await stop()
  expect(ca.calls).toEqual(['POST /csr'])
  expect(await readPendingRequest(dataFolder)).toMatchObject({ id: 'r1' })
  expect(logLines.join('')).not.toContain('failed to renew')
})

test('a CA that is down is asked again after a day, even if the wall clock was set back meanwhile', async () => {
  let asked = 0
  const ca = createPlainServer((_request, response) => {
    asked += 1
    response.writeHead(503).end()
  }).listen(0, address)
  await once(ca, 'listening')
  onTestFinished(() => void ca.close())
  const from = `http://${address}:${(ca.address() as AddressInfo).port}`
  const { clock, dataFolder } = await openListener(from)
  const made = await readPhoneCertificate(dataFolder)
  await storePhoneCertificate(dataFolder, { ...made!, source: 'ca' })
  clock.jumpWallClock(320 * dayMs)
  await clock.advance(60_000)
  await eventually(() => asked, (times) => expect(times).toBe(1)) // prettier-ignore
  clock.jumpWallClock(-15 * dayMs)
  await eventually(() => clock.waiting, (waiting) => expect(waiting).toBeGreaterThan(0)) // prettier-ignore
  await clock.advance(dayMs)
  await eventually(
    async () => (await clock.advance(60_000), asked),
    (times) => expect(times).toBe(2),
  )
})

test('a listener without a certificate for its address does not start, and says what to run', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-listener-'))
  onTestFinished(() => rm(dataFolder, { recursive: true }))
  const config = readConfig({ ONESIXTY_DATA: dataFolder, ONESIXTY_PHONE_LISTEN: '192.168.1.10:8443' })
  await expect(readListenerCertificate(config)).rejects.toThrow(
    'onesixty certificate for-phones --address 192.168.1.10',
  )
})
