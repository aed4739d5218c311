import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { temporaryFolder } from '../harness.ts'
import { type Certificate, makeCertificate } from './make-certificate.ts'
import { type DeviceStanding, numbersFrom, openSmppHouse, type SmppHouse } from './smpp-house.ts'

/** TLS to the server of the npm package, as an operator sets it up and sees it fail. */

const authority = makeCertificate('test authority', [])

/** The files of both ends. */
async function writeFiles(certificates: Record<string, Certificate>): Promise<(name: string) => string> {
  const folder = await temporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = (name: string): string => join(folder, name)
  for (const [name, { cert, key }] of Object.entries(certificates)) {
    await writeFile(path(`${name}.pem`), cert)
    await writeFile(path(`${name}.key`), key)
  }
  return path
}

const comesTo = (house: SmppHouse, standing: Partial<Record<keyof DeviceStanding, unknown>>) =>
  eventually(house.status, (seen) => expect(seen).toMatchObject(standing), 10_000)
const refusedFor = (reason: string) => ({
  status: 'offline',
  reasons: ['connect_failed'],
  last_error: `connect_failed: ${reason}`,
})

test('a certificate is checked unless told otherwise, and the status says what is wrong with it', async () => {
  const path = await writeFiles({
    authority,
    stranger: makeCertificate('another authority', []),
    smsc: makeCertificate('smsc', ['smsc.test'], authority),
  })
  const house = await openSmppHouse({
    smsc: { tls: { keyFile: path('smsc.key'), certFile: path('smsc.pem') } },
    settings: ['tls=on', 'reconnect_first_ms=100', 'reconnect_longest_ms=200'],
    comesTo: 'offline',
  })
  await comesTo(house, refusedFor('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
  await house.set(`tls_ca_file=${path('stranger.pem')}`)
  await comesTo(house, refusedFor('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
  await house.set(`tls_ca_file=${path('authority.pem')}`)
  await comesTo(house, refusedFor('ERR_TLS_CERT_ALTNAME_INVALID'))
  // Whoever listened there has learnt neither the account nor its password.
  expect(house.smsc.links('bound')).toEqual([])
  await house.set('tls_server_name=smsc.test')
  await comesTo(house, { status: 'online', reasons: [] })
  const numbers = numbersFrom(0, 50)
  await house.send('Your code is 123456', numbers)
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 50 }), 10_000)
}, 60_000)

test('an SMSC that asks for our certificate gets it, and is not reached without', async () => {
  const path = await writeFiles({
    authority,
    smsc: makeCertificate('smsc', ['smsc.test'], authority),
    esme: makeCertificate('esme', ['esme.test'], authority),
  })
  const house = await openSmppHouse({
    smsc: { tls: { keyFile: path('smsc.key'), certFile: path('smsc.pem'), caFile: path('authority.pem') } },
    settings: ['tls=on', 'tls_server_name=smsc.test', `tls_ca_file=${path('authority.pem')}`, 'reconnect_first_ms=100', 'reconnect_longest_ms=200'],
    comesTo: 'offline',
  }) // prettier-ignore
  expect(house.smsc.links('bound')).toEqual([])
  await house.set(`tls_cert_file=${path('esme.pem')}`, `tls_key_file=${path('esme.key')}`)
  await comesTo(house, { status: 'online' })
  await house.send('Your code is 123456', numbersFrom(0, 1))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 1 }), 10_000)
}, 60_000)

test('plain TCP to a port that speaks TLS does not bind, and says so', async () => {
  const path = await writeFiles({ smsc: makeCertificate('smsc', ['smsc.test'], authority) })
  const house = await openSmppHouse({
    smsc: { tls: { keyFile: path('smsc.key'), certFile: path('smsc.pem') } },
    comesTo: 'offline',
  })
  const said = expect.stringMatching(/^(framing_lost|peer_closed|connection_lost): /)
  await comesTo(house, { status: 'offline', last_error: said })
})
