import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/asn1-x509'
import { dayMs, hourMs } from '../runtime/clock.ts'
import { linkLocalIpv4, privateIpv4 } from '../runtime/private-addresses.ts'
import { encodeCertificate, encodeRequest, extension, keyIdentifier } from './encode.ts'

/** A certificate and its private key, in PEM. */
export interface CertificateAndKey {
  certificate: string
  key: string
}

/** A new root would have to be installed on every phone by hand. */
const rootDays = 3_650
/** The longest that Android and Apple accept of a certificate. */
const leafDays = 397
/** Clocks of phones may be slow. */
const earlierMs = hourMs
const commonNameOfRoot = 'onesixty root for phones'
/** A stolen root can certify no address of the internet. */
const certifiable = [...privateIpv4, ...linkLocalIpv4]
/** Names under this (RFC 6761 section 6.4) exist nowhere, so no name at all is permitted. */
const noName = 'invalid'

/** Creates a root CA that can certify private IPv4 addresses only. */
export function makeRoot(nowMs: number): CertificateAndKey {
  const key = newKey()
  const permitted = [
    ...certifiable.map((range) => new x509.GeneralName({ iPAddress: range })),
    new x509.GeneralName({ dNSName: noName }),
  ].map((base) => new x509.GeneralSubtree({ base }))
  const extensions = [
    extension(
      x509.id_ce_basicConstraints,
      new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }),
      true,
    ),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.keyCertSign), true),
    extension(
      x509.id_ce_nameConstraints,
      new x509.NameConstraints({ permittedSubtrees: new x509.GeneralSubtrees(permitted) }),
      true,
    ),
    extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdentifier(key))),
  ]
  const dates = { fromMs: nowMs - earlierMs, untilMs: nowMs + rootDays * dayMs }
  const certificate = encodeCertificate(
    { subject: commonNameOfRoot, key, extensions, ...dates },
    { name: commonNameOfRoot, key },
  )
  return { certificate, key: pemOf(key) }
}

/** Creates a certificate for a server at one IPv4 address, signed by the root. It ends with the root at the latest. */
export function makeLeaf(root: CertificateAndKey, address: string, nowMs: number): CertificateAndKey {
  const key = newKey()
  const rootKey = createPrivateKey(root.key)
  const endOfRootMs = new X509Certificate(root.certificate).validToDate.getTime()
  const extensions = [
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: false }), true),
    ...serverExtensions(address),
    extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdentifier(key))),
    extension(
      x509.id_ce_authorityKeyIdentifier,
      new x509.AuthorityKeyIdentifier({ keyIdentifier: new x509.KeyIdentifier(keyIdentifier(rootKey)) }),
    ),
  ]
  const dates = {
    fromMs: nowMs - earlierMs,
    untilMs: Math.min(nowMs + leafDays * dayMs - earlierMs, endOfRootMs),
  }
  const certificate = encodeCertificate(
    // Not the address alone: OpenSSL would take it for a name of the DNS, which the root does not permit.
    { subject: `onesixty at ${address}`, key, extensions, ...dates },
    { name: commonNameOfRoot, key: rootKey },
  )
  return { certificate, key: pemOf(key) }
}

/** Creates a request for a certificate for a server at one IPv4 address. */
export function makeRequest(address: string): { request: string; key: string } {
  const key = newKey()
  return {
    request: encodeRequest({ subject: address, key, extensions: serverExtensions(address) }),
    key: pemOf(key),
  }
}

/** What the app's own tool asks for, too: keyUsage, serverAuth, and one address. */
const serverExtensions = (address: string): x509.Extension[] => [
  extension(
    x509.id_ce_keyUsage,
    new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment),
    true,
  ),
  extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
  extension(
    x509.id_ce_subjectAltName,
    new x509.SubjectAlternativeName([new x509.GeneralName({ iPAddress: address })]),
  ),
]

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string
