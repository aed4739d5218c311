import type { Db } from '../../../storage/seam/dialect.ts'
import type { Mode } from '../../../storage/tables/schema.ts'

/** Names of the IDs in rows of messages. */
export interface HistoryNames {
  devices: { id: string; name: string; kind: string; isRetired: boolean }[]
  /** Possible senders: keys and users. */
  senders: { id: string; name: string; isRevoked: boolean }[]
}

/** More would not be readable in a list. */
const maxNames = 500

/** Returns the names of an account in one mode. Shared devices of the operator have no name here. */
export async function readHistoryNames(
  db: Db,
  { id, mode }: { id: string; mode: Mode },
): Promise<HistoryNames> {
  const [devices, keys, people] = await Promise.all([
    readDevices(db, id, mode),
    readKeys(db, id, mode),
    readPeople(db, id),
  ])
  return {
    devices: devices.map((row) => ({
      id: row.id,
      name: row.account_id === null ? 'Shared device' : row.name,
      kind: row.kind,
      isRetired: row.state === 'retired',
    })),
    senders: [
      ...keys.map((row) => ({
        id: row.id,
        name: `${row.name} (…${row.last_four})`,
        isRevoked: row.revoked_at !== null,
      })),
      ...people.map((row) => ({ id: row.id, name: row.name, isRevoked: false })),
    ],
  }
}

const readDevices = (db: Db, accountId: string, mode: Mode) =>
  db
    .selectFrom('devices')
    .select(['id', 'account_id', 'name', 'kind', 'state'])
    .where('mode', '=', mode)
    .where((is) => is.or([is('account_id', '=', accountId), is('account_id', 'is', null)]))
    .orderBy('id', 'desc')
    .limit(maxNames)
    .execute()

const readKeys = (db: Db, accountId: string, mode: Mode) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'name', 'last_four', 'revoked_at'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .orderBy('id', 'desc')
    .limit(maxNames)
    .execute()

const readPeople = (db: Db, accountId: string) =>
  db
    .selectFrom('account_users')
    .innerJoin('users', 'users.id', 'account_users.user_id')
    .select(['users.id', 'users.name'])
    .where('account_users.account_id', '=', accountId)
    .orderBy('users.id')
    .limit(maxNames)
    .execute()
