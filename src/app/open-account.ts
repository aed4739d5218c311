import { createAccount } from '../accounts/core/accounts.ts'
import { createApiKey } from '../accounts/keys/api-keys.ts'
import type { Config } from '../config.ts'
import type { Ids } from '../runtime/ids.ts'
import { openWallets } from '../ledger/grants.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { OwnDevicePrice } from '../storage/tables/schema.ts'

export interface OpenedAccount {
  accountId: string
  userId: string
  /** True if the owner was created with the account; false for an existing user. */
  isNewUser: boolean
  liveKey: string
  testKey: string
}

/**
 * Creates an account in one transaction: owner, wallets, one live and one test key. The keys are returned
 * only here.
 */
export async function openAccount(
  tx: Tx,
  deps: {
    ids: Ids
    nowMs: number
    randomBytes: (count: number) => Uint8Array
    config: Pick<Config, 'freeSms' | 'playSms' | 'lowBalance' | 'newAccountCountries' | 'ownDevices'>
  },
  account: {
    name: string
    email: string
    userId?: string
    isOperator?: boolean
    isFirst?: true
    actor: string
  },
): Promise<OpenedAccount> {
  const { freeSms, playSms, lowBalance: lowThreshold } = deps.config
  const { actor } = account
  const { accountId, userId, isNewUser } = await createAccount(
    tx,
    {
      ...deps,
      openWallets: (inTx, id) =>
        openWallets(inTx, deps, { accountId: id, freeSms, playSms, lowThreshold, actor }),
    },
    {
      ...account,
      countries: deps.config.newAccountCountries,
      ownDevices: priceOf(deps.config.ownDevices, account.isFirst === true),
    },
  )
  const live = await createApiKey(tx, deps, { accountId, mode: 'live', name: 'First live key', actor })
  const test = await createApiKey(tx, deps, { accountId, mode: 'test', name: 'First test key', actor })
  return { accountId, userId, isNewUser, liveKey: live.token, testKey: test.token }
}

const priceOf = (setting: Config['ownDevices'], isFirst: boolean): OwnDevicePrice =>
  setting === 'first_free' ? (isFirst ? 'free' : 'charged') : setting
