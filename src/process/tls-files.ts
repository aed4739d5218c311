import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config.ts'

export interface TlsFiles {
  cert: Buffer
  key: Buffer
}

/**
 * Reads the certificate chain and the private key that the settings name; null without them. Throws for files
 * that no server can use. That is no `ConfigError`: during a renewal the two may not match yet, and a later
 * start finds matching ones.
 */
export async function readTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): Promise<TlsFiles | null> {
  if (tlsCert === null || tlsKey === null) return null
  const files = {
    cert: await readOrRefuse('ONESIXTY_TLS_CERT', tlsCert),
    key: await readOrRefuse('ONESIXTY_TLS_KEY', tlsKey),
  }
  try {
    createSecureContext(files)
  } catch (error) {
    throw new Error(
      `ONESIXTY_TLS_CERT and ONESIXTY_TLS_KEY do not contain a certificate and its key in PEM (${(error as Error).message}).`,
      { cause: error },
    )
  }
  return files
}

async function readOrRefuse(setting: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    throw new Error(`${setting}: ${path} cannot be read (${code}).`, { cause: error })
  }
}
