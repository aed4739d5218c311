import { dayMs } from '../runtime/clock.ts'
import { type CaDeps, requestCertificate } from './ca-client.ts'
import {
  type CertificateSource,
  datesOf,
  isDue,
  type PhoneCertificate,
  readOwnRoot,
  readPhoneCertificate,
  storeOwnRoot,
  storePhoneCertificate,
} from './certificate-store.ts'
import { makeLeaf, makeRoot } from './make-certificates.ts'
import { removePendingRequest } from './pending-request.ts'

/**
 * Obtains a certificate for a private IPv4 address, and stores it: signed by a root of our own, which is made
 * first, or by the CA. An existing root is kept, since phones have it. A refusal changes nothing.
 */
export async function obtainCertificate(
  deps: CaDeps,
  { source, address }: { source: CertificateSource; address: string },
): Promise<PhoneCertificate> {
  const nowMs = deps.clock.now()
  const signed =
    source === 'own' ? await signByOwn(deps, address, nowMs) : await requestCertificate(deps, address)
  const made = { source, address, ...signed }
  await storePhoneCertificate(deps.dataFolder, made)
  // Last: its key would be lost with a crash in between, and the CA would have to decide again.
  if (source === 'ca') await removePendingRequest(deps.dataFolder)
  return made
}

/** Renews the certificate for phones if it is due. Returns the new one; null if none is due. */
export async function renewIfDue(deps: CaDeps): Promise<PhoneCertificate | null> {
  const stored = await readPhoneCertificate(deps.dataFolder)
  return stored !== null && isDue(stored, deps.clock.now()) ? obtainCertificate(deps, stored) : null
}

async function signByOwn({ dataFolder }: Pick<CaDeps, 'dataFolder'>, address: string, nowMs: number) {
  const known = await readOwnRoot(dataFolder)
  const isUsable = known !== null && datesOf(known.certificate).untilMs - nowMs > 30 * dayMs
  const root = isUsable ? known : makeRoot(nowMs)
  if (!isUsable) await storeOwnRoot(dataFolder, root)
  return makeLeaf(root, address, nowMs)
}
