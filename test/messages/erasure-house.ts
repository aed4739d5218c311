import { sql } from 'kysely'
import { type AccountErasure, eraseAccount } from '../../src/privacy/erase-account.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import { advanceEpoch } from '../../src/storage/instance/epoch.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { tableNames } from './every-cell.ts'
import { fillAccount } from './filled-account.ts'
import type { FilledAccount, Filling } from './filling.ts'

/** An account to erase, and one beside it. */
export interface ErasureHouse extends Pick<TestStorage, 'clock' | 'ids'> {
  store: { db: Db; writer: Writer }
  /** The words of the account that is erased. */
  shop: Filling
  /** What of them may be left in no cell. */
  traces: string[]
  filled: FilledAccount
  /** Another account with these words. */
  fillAnother(filling: Filling): Promise<FilledAccount>
  begin(asked?: Asked): ReturnType<typeof eraseAccount>
  /** Goes on for so many transactions, to the end when no number is given. */
  erase(most?: number, asked?: Asked): Promise<AccountErasure[]>
  /** Every row that names the account beside it, its people, devices or words. */
  rowsBeside(): Promise<string[]>
  stateOf(): Promise<string>
}

/** What is asked for in the place of the account and its name. */
interface Asked {
  accountId?: string
  confirm?: string
}

/** A real store; each test has two accounts of its own in it. */
export interface ErasureStore {
  twoAccounts(): Promise<ErasureHouse>
  close(): Promise<void>
}

export async function openErasureStore(): Promise<ErasureStore> {
  const base = await openTestStorage({ isStarted: false })
  await advanceEpoch(base.storage, base.dataFolder, base.clock.now())
  let accounts = 0
  /** Of each account its own, all of one length, so that none is a part of another. */
  const words = (of: string): Filling => ({
    mark: `${of}${1_000 + accounts}`,
    number: `+49151123${45_000 + accounts++}`,
  })
  return {
    twoAccounts: () => fillTwo(base, words('zanzibar'), words('timbuktu')),
    close: () => base.close(),
  }
}

async function fillTwo(
  { storage, clock, ids }: TestStorage,
  shop: Filling,
  beside: Filling,
): Promise<ErasureHouse> {
  const store = { db: storage.read, writer: storage.writer }
  const fill = (filling: Filling): Promise<FilledAccount> =>
    fillAccount({ ...store, ids, now: clock.now }, filling)
  const filled = await fill(shop)
  const neighbour = await fill(beside)
  const house: ErasureHouse = {
    clock,
    ids,
    store,
    shop,
    traces: [shop.mark, shop.number.slice(1), shop.number.slice(-7)],
    filled,
    fillAnother: fill,
    begin: (asked = {}) =>
      eraseAccount(
        {
          read: store.db,
          writer: store.writer,
          clock,
          ids,
        },
        { accountId: house.filled.accountId, confirm: house.filled.name, actor: 'usr_olga', ...asked },
      ),
    async erase(most = Number.POSITIVE_INFINITY, asked) {
      const told: AccountErasure[] = []
      for await (const now of house.begin(asked)) if (told.push(now) >= most) break
      return told
    },
    rowsBeside: () => rowsOf(store.db, neighbour, beside),
    async stateOf() {
      const account = store.db.selectFrom('accounts').select('state').where('id', '=', house.filled.accountId)
      return (await account.executeTakeFirstOrThrow()).state
    },
  }
  return house
}

async function rowsOf(db: Db, account: FilledAccount, { mark, number }: Filling): Promise<string[]> {
  const { accountId, userId, guestId, deviceId } = account
  const found: string[] = []
  for (const name of await tableNames(db)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    found.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`))
  }
  return found.filter((row) =>
    [accountId, userId, guestId, deviceId, mark, number].some((each) => row.includes(each)),
  )
}
