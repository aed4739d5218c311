import { guardColumns, guardOf } from '../../../accounts/core/account-guard.ts'
import type { Caller } from '../../../accounts/keys/authenticator.ts'
import { apiKeyScopes } from '../../../accounts/keys/api-keys.ts'
import type { AccountContext } from './call.ts'

/** Returns a console user as the caller of a send: with the limits of the account, and no key limits. */
export async function consoleCaller({ read, account, actor }: AccountContext): Promise<Caller> {
  const row = await read
    .selectFrom('accounts')
    .select(['state', 'send_per_minute', 'read_per_minute', 'queue_limit', ...guardColumns])
    .where('id', '=', account.id)
    .executeTakeFirstOrThrow()
  return {
    keyId: actor,
    accountId: account.id,
    mode: account.mode,
    scopes: new Set(apiKeyScopes),
    accountState: row.state,
    sendPerMinute: row.send_per_minute,
    readPerMinute: row.read_per_minute,
    queueLimit: row.queue_limit,
    dailyCap: null,
    recipientLimits: guardOf(row),
    ownDevices: row.own_devices,
  }
}
