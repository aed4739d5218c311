import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as x509 from '@peculiar/asn1-x509'

/** ecdsa-with-SHA256 (RFC 5758 section 3.2). */
const ecdsaWithSha256 = new x509.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' })
/** extensionRequest (RFC 2985 section 5.4.2). */
const extensionRequest = '1.2.840.113549.1.9.14'
/** Bytes of a serial number: at most 20, with the first bit clear (RFC 5280 section 4.1.2.2). */
const serialBytes = 16

export interface Validity {
  fromMs: number
  untilMs: number
}

interface Certified extends Validity {
  subject: string
  key: KeyObject
  extensions: x509.Extension[]
}

/** Signs a certificate (RFC 5280) with a P-256 key; returns it in PEM. */
export function encodeCertificate(
  { subject, key, extensions, fromMs, untilMs }: Certified,
  issuer: { name: string; key: KeyObject },
): string {
  const serial = randomBytes(serialBytes)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: bytesOf(serial),
    signature: ecdsaWithSha256,
    issuer: nameOf(issuer.name),
    validity: new x509.Validity({ notBefore: new Date(fromMs), notAfter: new Date(untilMs) }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: publicKeyInfo(key),
    extensions: new x509.Extensions(extensions),
  })
  const signatureValue = signed(tbsCertificate, issuer.key)
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue,
  })
  return pem('CERTIFICATE', AsnConvert.serialize(certificate))
}

/** Signs a request for a certificate (RFC 2986); returns it in PEM. */
export function encodeRequest({ subject, key, extensions }: Omit<Certified, keyof Validity>): string {
  const wanted = AsnConvert.serialize(new x509.Extensions(extensions))
  const certificationRequestInfo = new CertificationRequestInfo({
    subject: nameOf(subject),
    subjectPKInfo: publicKeyInfo(key),
  })
  certificationRequestInfo.attributes.push(new x509.Attribute({ type: extensionRequest, values: [wanted] }))
  const request = new CertificationRequest({
    certificationRequestInfo,
    signatureAlgorithm: ecdsaWithSha256,
    signature: signed(certificationRequestInfo, key),
  })
  return pem('CERTIFICATE REQUEST', AsnConvert.serialize(request))
}

/** Wraps the value of an extension. */
export const extension = (extnID: string, value: object, critical = false): x509.Extension =>
  new x509.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })

/** Returns the identifier of a key: SHA-1 of its bits (RFC 5280 section 4.2.1.2, method 1). */
export const keyIdentifier = (key: KeyObject): ArrayBuffer =>
  bytesOf(
    createHash('sha1')
      .update(Buffer.from(publicKeyInfo(key).subjectPublicKey))
      .digest(),
  )

const publicKeyInfo = (key: KeyObject): x509.SubjectPublicKeyInfo =>
  AsnConvert.parse(
    bytesOf(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    x509.SubjectPublicKeyInfo,
  )

const signed = (value: object, key: KeyObject): ArrayBuffer =>
  bytesOf(sign('sha256', Buffer.from(AsnConvert.serialize(value)), { key, dsaEncoding: 'der' }))

const nameOf = (commonName: string): x509.Name =>
  new x509.Name([
    new x509.RelativeDistinguishedName([
      new x509.AttributeTypeAndValue({
        type: '2.5.4.3',
        value: new x509.AttributeValue({ utf8String: commonName }),
      }),
    ]),
  ])

const bytesOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`
