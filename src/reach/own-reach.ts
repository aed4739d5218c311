import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'

import { type Config, ConfigError } from '../config.ts'
import type { InstanceSecret } from '../runtime/derived-keys.ts'
import { readOwnRoot, readPhoneCertificate } from '../certificates/certificate-store.ts'
import { createReachProof } from './reach-proof.ts'
import { type Reach, type ReachDeps, tryReach } from './reach.ts'

/** Tries an address of this instance. */
export type TryAddress = (address: string) => Promise<Reach>

/**
 * Creates the attempt with the settings and secret of this instance. Throws `ConfigError` if the roots of the
 * phones cannot be read.
 */
export async function createTryAddress(
  config: Pick<Config, 'host' | 'port' | 'phoneRoots' | 'phoneListen' | 'dataFolder'>,
  { secret, ...deps }: Pick<ReachDeps, 'clock' | 'randomBytes'> & { secret: InstanceSecret },
): Promise<TryAddress> {
  const roots = await readRoots(config.phoneRoots)
  const proof = createReachProof(secret)
  const { host, port, phoneListen, dataFolder } = config
  return async (address) => {
    // Read at each attempt: the certificate may have been renewed.
    const [own, made] = [await readOwnRoot(dataFolder), await readPhoneCertificate(dataFolder)]
    return tryReach(
      {
        ...deps,
        proof,
        roots: own === null ? roots : [...rootCertificates, ...roots, own.certificate],
        ...(made?.source === 'ca' && { trustedByApp: made.certificate }),
        listens: phoneListen ?? { host, port },
      },
      address,
    )
  }
}

async function readRoots(file: string | null): Promise<string[]> {
  if (file === null) return []
  try {
    const text = await readFile(file, 'utf8')
    const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
    if (found.length === 0) throw new Error('it contains no certificate')
    for (const each of found) void new X509Certificate(each)
    return [...rootCertificates, ...found]
  } catch (error) {
    throw new ConfigError(
      `ONESIXTY_PHONE_ROOTS: ${file} cannot be read as certificates in PEM (${(error as Error).message}).`,
      { cause: error },
    )
  }
}
