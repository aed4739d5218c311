import { randomBytes } from 'node:crypto'
import { createAccount, type NewAccount } from '../../src/accounts/core/accounts.ts'
import { createApiKey, type NewApiKey } from '../../src/accounts/keys/api-keys.ts'
import type { Ids } from '../../src/runtime/ids.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { readDirectoryVersion } from '../../src/storage/seam/directory-version.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

export interface AccountsFixture extends TestStorage {
  /** What every function that writes is handed. */
  deps(): { ids: Ids; nowMs: number; randomBytes: (count: number) => Uint8Array }
  addAccount(account?: Partial<NewAccount>): Promise<{ accountId: string; userId: string }>
  addKey(key: Partial<NewApiKey> & { accountId: string }): Promise<{ keyId: string; token: string }>
  directoryVersion(): Promise<number>
  /** The actions in the audit log, oldest first. */
  audited(): Promise<string[]>
}

/** The real store after a first start, and short words for what most tests begin with. */
export async function openAccountsFixture(): Promise<AccountsFixture> {
  const base = await openTestStorage({ isStarted: false })
  const { storage, clock, ids } = base
  await advanceEpoch(storage, base.dataFolder, clock.now())
  const deps = () => ({ ids, nowMs: clock.now(), randomBytes: (count: number) => randomBytes(count) })
  const terms = { freeSms: 10, playSms: 1_000, lowThreshold: 5, actor: 'test' }
  return {
    ...base,
    deps,
    addAccount: (account = {}) =>
      storage.writer.write((tx) =>
        createAccount(
          tx,
          { ...deps(), openWallets: (inTx, accountId) => openWallets(inTx, deps(), { accountId, ...terms }) },
          { name: 'Ada', email: 'ada@example.org', actor: 'test', ...account },
        ),
      ),
    addKey: (key) =>
      storage.writer.write((tx) =>
        createApiKey(tx, deps(), { mode: 'live', name: 'Key', actor: 'test', ...key }),
      ),
    directoryVersion: () => readDirectoryVersion(storage.read),
    async audited() {
      const rows = await storage.read.selectFrom('audit_log').select('action').orderBy('id').execute()
      return rows.map((row) => row.action)
    },
  }
}
