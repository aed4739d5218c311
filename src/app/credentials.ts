import { Authenticator } from '../accounts/keys/authenticator.ts'
import { PhoneIdentities } from '../devices/phones/phone-identities.ts'
import { hasTouchedDirectory } from '../storage/seam/directory-version.ts'
import type { Wiring } from './wiring.ts'

/**
 * What is remembered of keys and phones. Changes made here end it before their caller is answered; those of other processes are noticed by the poll
 * of the pool.
 */
export function createCredentials({ storage, clock, log, secretBox }: Wiring) {
  const read = storage.readAtDoor
  const authenticator = new Authenticator({
    read,
    clock,
    refused: ({ because, keyId }) => log.info({ because, key_id: keyId }, 'an API key was refused'),
  })
  const identities = new PhoneIdentities({ read, clock, secretBox })
  const ignoreCommits = storage.writer.afterCommit((tx) => {
    if (!hasTouchedDirectory(tx)) return
    authenticator.invalidate()
    identities.forget()
  })
  return { authenticator, identities, ignoreCommits }
}
