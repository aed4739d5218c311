import { X509Certificate } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs } from '../runtime/clock.ts'
import { readIfThere, writeDurably } from '../process/durable-file.ts'
import type { CertificateAndKey } from './make-certificates.ts'
import { ownCommand } from '../process/own-command.ts'

/** Who signed the certificate for phones: a root of our own, or the CA of `ONESIXTY_CERTIFICATE_FROM`. */
export type CertificateSource = 'own' | 'ca'

/** The certificate for phones, as stored. */
export interface PhoneCertificate extends CertificateAndKey {
  source: CertificateSource
  /** The IPv4 address that it is for. */
  address: string
}

const folderOf = (dataFolder: string): string => join(dataFolder, 'certificates')

/** File with the root of our own, to be installed on phones. */
export const ownRootFile = (dataFolder: string): string => join(folderOf(dataFolder), 'root.pem')

const fileOf = (dataFolder: string): string => join(folderOf(dataFolder), 'phones.pem')
const rootKeyFile = (dataFolder: string): string => join(folderOf(dataFolder), 'root.key')

/** Returns the certificate for phones with its key; null if there is none. Throws if the file is damaged. */
export async function readPhoneCertificate(dataFolder: string): Promise<PhoneCertificate | null> {
  const text = await readIfThere(fileOf(dataFolder))
  if (text === null) return null
  const [, source, address] = /^# (own|ca) ([\d.]+)\n/.exec(text) ?? []
  const certificate = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/g)?.join('')
  const key = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----\n/.exec(text)?.[0]
  if (source === undefined || address === undefined || certificate === undefined || key === undefined)
    throw new Error(
      `${fileOf(dataFolder)} is damaged. Create it again: ${ownCommand()} certificate for-phones`,
    )
  return { source: source === 'own' ? 'own' : 'ca', address, certificate, key }
}

/** Stores the certificate for phones with its key in one file, so that they always match; mode 0600. */
export async function storePhoneCertificate(dataFolder: string, made: PhoneCertificate): Promise<void> {
  await mkdir(folderOf(dataFolder), { recursive: true, mode: 0o700 })
  const { source, address, certificate, key } = made
  await writeDurably(fileOf(dataFolder), `# ${source} ${address}\n${certificate.trimEnd()}\n${key}`)
}

/** Returns the root of our own, with its key; null if none was made. */
export async function readOwnRoot(dataFolder: string): Promise<CertificateAndKey | null> {
  const certificate = await readIfThere(ownRootFile(dataFolder))
  const key = await readIfThere(rootKeyFile(dataFolder))
  return certificate === null || key === null ? null : { certificate, key }
}

/** Stores the root of our own; the key first, since a root without its key could never sign again. */
export async function storeOwnRoot(
  dataFolder: string,
  { certificate, key }: CertificateAndKey,
): Promise<void> {
  await mkdir(folderOf(dataFolder), { recursive: true, mode: 0o700 })
  await writeDurably(rootKeyFile(dataFolder), key)
  await writeDurably(ownRootFile(dataFolder), certificate)
}

/** Returns when a certificate in PEM begins and ends. */
export function datesOf(certificate: string): { fromMs: number; untilMs: number } {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  return { fromMs: validFromDate.getTime(), untilMs: validToDate.getTime() }
}

/** From this day on a certificate is renewed, each day until it succeeds: two months before the end of a year. */
const renewFromDay = 300

/** Returns whether a certificate has reached the day from which it is renewed. */
export function isDue({ certificate }: Pick<PhoneCertificate, 'certificate'>, nowMs: number): boolean {
  const { fromMs, untilMs } = datesOf(certificate)
  return nowMs >= Math.min(fromMs + renewFromDay * dayMs, untilMs - 30 * dayMs)
}
