import { type Config, ConfigError } from '../config.ts'
import { type PhoneCertificate, readPhoneCertificate } from './certificate-store.ts'
import { ownCommand } from '../process/own-command.ts'

/**
 * Returns the certificate of the second listener; null without `ONESIXTY_PHONE_LISTEN`. Throws `ConfigError` if
 * there is none for its address.
 */
export async function readListenerCertificate({
  phoneListen,
  dataFolder,
}: Pick<Config, 'phoneListen' | 'dataFolder'>): Promise<PhoneCertificate | null> {
  if (phoneListen === null) return null
  const stored = await readPhoneCertificate(dataFolder)
  if (stored?.address === phoneListen.host) return stored
  throw new ConfigError(
    `ONESIXTY_PHONE_LISTEN needs a certificate for ${phoneListen.host}${stored === null ? '' : `, and the stored one is for ${stored.address}`}. Run: ${ownCommand()} certificate for-phones --address ${phoneListen.host}`,
  )
}
