import { createPrivateKey, X509Certificate } from 'node:crypto'

/** Returns why a certificate cannot serve an address with this key; null if it can. Who trusts it is not checked. */
export function checkServerCertificate(
  chain: string,
  { address, key }: { address: string; key: string },
  nowMs: number,
): string | null {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(chain)
  } catch {
    return 'it is not in PEM.'
  }
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'it is for another key.'
  if (certificate.checkIP(address) === undefined) return `it is not for ${address}.`
  if (certificate.validToDate.getTime() <= nowMs) return 'it has ended.'
  return null
}
