import { Authenticator } from '../accounts/keys/authenticator.ts'
import { PhoneIdentities } from '../devices/phones/phone-identities.ts'
import { hasTouchedDirectory } from '../storage/seam/directory-version.ts'
import type { Wiring } from './wiring.ts'

/**
 * Creates the caches of keys and phones. A change made by this process invalidates them before its caller
 * gets the response; changes of other processes are noticed by the poll of the pool.
 */
export function createCredentials({ storage, clock, log, secretBox }: Wiring) {
  const read = storage.priorityRead
  const authenticator = new Authenticator({
    read,
    clock,
    refused: ({ because, keyId }) => log.info({ because, key_id: keyId }, 'an API key was rejected'),
  })
  const identities = new PhoneIdentities({ read, clock, secretBox })
  const ignoreCommits = storage.writer.afterCommit((tx) => {
    if (!hasTouchedDirectory(tx)) return
    authenticator.invalidate()
    identities.forget()
  })
  return { authenticator, identities, ignoreCommits }
}
