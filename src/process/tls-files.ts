import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config.ts'

export interface TlsFiles {
  cert: Buffer
  key: Buffer
}

/**
 * Certificate chain and private key, as the settings name them; null without them. Refuses files that no server could use. That is no `ConfigError`: in the
 * midst of a renewal they do not fit each other, and a start that is tried again finds them right.
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
      `ONESIXTY_TLS_CERT and ONESIXTY_TLS_KEY do not hold a certificate and its key in PEM (${(error as Error).message}).`,
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
