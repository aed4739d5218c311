import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A certificate with its key, as PEM texts. */
export interface Certificate {
  cert: string
  key: string
  /** For signing others with it. */
  name: string
  privateKey: KeyObject
}

/**
 * Makes a certificate for a day (RFC 5280) for the given DNS names, signed by `issuer` or by itself. As much of DER as it takes: no
 * test then depends on a tool, on a key that lies in the repository, or on a date.
 */
export function makeCertificate(
  name: string,
  dnsNames: readonly string[],
  issuer?: Certificate,
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(objectId('2a8648ce3d040302'))
  const isAuthority = issuer === undefined
  const dayMs = 86_400_000
  const extensions = [
    sequence(
      objectId('551d13'),
      octets(sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : []))),
    ),
    sequence(objectId('551d11'), octets(sequence(...dnsNames.map((dns) => tagged(0x82, Buffer.from(dns)))))),
  ]
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1 + Math.floor(Math.random() * 1e9)),
    algorithm,
    distinguishedName(issuer?.name ?? name),
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...(dnsNames.length > 0 ? extensions : extensions.slice(0, 1)))),
  )
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey)
  const certificate = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = certificate.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name,
    privateKey,
  }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts))
const octets = (content: Buffer): Buffer => tagged(0x04, content)
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(value, 1)
  const first = bytes.findIndex((octet, i) => octet !== 0 || (bytes[i + 1] ?? 0x80) >= 0x80)
  return tagged(0x02, bytes.subarray(first))
}

/** UTCTime: good until 2049. */
const time = (atMs: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(atMs).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))

const distinguishedName = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))))
