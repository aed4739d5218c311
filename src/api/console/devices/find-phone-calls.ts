import { Type } from 'typebox'
import { requireAccount } from '../../../accounts/core/list-accounts.ts'
import { describeSearch, findLocal } from '../../../connectors/find-local.ts'
import { loadConnectorKind, phoneKinds } from '../../../connectors/registry.ts'
import { refuse } from '../../../runtime/errors.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall } from '../core/call.ts'
import type { SearchProgress } from '../core/phone-searches.ts'

/** Phones whose Local Server answered. */
export interface FoundPhones {
  phones: { address: string; appVersion: string }[]
  /** What was asked, in sentences. */
  asked: string[]
}

const Account = { accountId: Type.String({ maxLength: 40 }) }

export const findPhoneCalls = {
  /**
   * Asks each address of this machine's own networks whether the app of phones answers; sends no password. The operator
   * alone, and one search at a time for an account. A network of the largest size that is asked takes 11 s.
   */
  'devices/find-phones': defineCall({
    kind: 'change',
    access: 'operator',
    input: Type.Object(
      { ...Account, port: Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()]) },
      closed,
    ),
    async handle({ read, clock, ports }, { accountId, port }): Promise<FoundPhones> {
      await requireAccount(read, accountId)
      const kinds = await Promise.all(phoneKinds.map(loadConnectorKind))
      const local = kinds.find((kind) => kind?.local !== undefined)?.local
      if (local === undefined) throw refuse('not_found', { detail: 'No kind of device can be found.' })
      return ports.devices.searches.run(accountId, async (progress) => {
        const options = { port: port ?? local.defaultPort, progress }
        const found = await findLocal({ local }, clock, ports.devices.networks(), options)
        return { phones: found.phones, asked: describeSearch(found) }
      })
    },
  }),
  /** Returns how far the search of an account is; null while none runs on the node that is asked. */
  'devices/search-progress': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object(Account, closed),
    handle: async ({ ports }, { accountId }): Promise<{ progress: SearchProgress | null }> => ({
      progress: ports.devices.searches.progressOf(accountId),
    }),
  }),
}
