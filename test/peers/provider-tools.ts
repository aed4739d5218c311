import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What `node test/peers/fetch-provider-peers.ts` fetches; .ci/run runs it. */
export const fetchedFolder = join(import.meta.dirname, '../../node_modules/.cache/onesixty/peers')

/** Whether something of `fetchedFolder` is there. Without it there is nothing to be proved: .ci/run fetches it. */
export const hasFetched = (name: string): boolean => existsSync(join(fetchedFolder, name))
