import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountReader, accountRows } from '../../src/storage/postgres/row-security.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'

let house: MessagesFixture
beforeAll(async () => {
  house = await openMessagesFixture()
  for (const id of ['acc_a', 'acc_b']) {
    await house.addAccount(id, 100)
    await house.addDevice(`dev_${id}`, { accountId: id })
    await house.send({ accountId: id, to: ['+4915112345678', '+4915112345679'] })
  }
  await house.addDevice('dev_shared', { accountId: null })
  await house.dispatcher.drain()
})
afterAll(() => house.close())

/** Tables with no rows of an account's, or none that are ever read for one. */
const closed = [
  'alert_mails', 'alert_mutes', 'alerts', 'auth_credentials', 'auth_sessions', 'auth_two_factors', 'auth_users', 'auth_verifications', 'device_groups', 'device_marks', 'email_links', 'inbound_fragments', 'inbound_seen',
  'move_progress', 'moves', 'node_progress', 'nodes', 'operator_requests', 'operator_tokens', 'parked_receipts', 'passkey_challenges', 'passkeys', 'schema_migrations', 'secret_marks', 'ways',
] // prettier-ignore

const tablesOf = async (): Promise<string[]> => {
  const { rows } = await sql<{
    name: string
  }>`select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition order by 1`.execute(
    house.storage.read,
  )
  return rows.map(({ name }) => name)
}

test('every table is either read for accounts behind a policy, or closed to such reads', async () => {
  expect([...Object.keys(accountRows), ...closed].toSorted()).toEqual(await tablesOf())
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and (has_table_privilege(${accountReader}, c.oid, 'insert, update, delete, truncate')
        or (has_table_privilege(${accountReader}, c.oid, 'select') and not relrowsecurity))`.execute(
    house.storage.read,
  )
  expect(rows).toEqual([])
})

test('a read for an account that forgot to name it sees the rows of that account alone', async () => {
  for (const accountId of ['acc_a', 'acc_b']) {
    const read = house.storage.readOf(accountId)
    for (const table of ['messages', 'attempts', 'wallets', 'sends', 'traffic', 'queue_totals'] as const) {
      const rows = await read.selectFrom(table).select('account_id').execute()
      expect({ table, owners: [...new Set(rows.map((row) => row.account_id))] }).toEqual({
        table,
        owners: [accountId],
      })
    }
    expect((await read.selectFrom('accounts').select('id').execute()).map(({ id }) => id)).toEqual([
      accountId,
    ])
    const devices = await read.selectFrom('devices').select('id').orderBy('id').execute()
    expect(devices.map(({ id }) => id)).toEqual([`dev_${accountId}`, 'dev_shared'])
  }
})

test('reads of many accounts share connections and never one another’s rows', async () => {
  const asked = Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? 'acc_b' : 'acc_a'))
  const seen = await Promise.all(
    asked.map(async (accountId) => {
      const rows = await house.storage.readOf(accountId).selectFrom('messages').select('account_id').execute()
      return rows.map((row) => row.account_id)
    }),
  )
  expect(seen).toEqual(asked.map((accountId) => [accountId, accountId]))
})

test('what is closed is refused, and so is every write', async () => {
  const read = house.storage.readOf('acc_a')
  await expect(read.selectFrom('auth_sessions').selectAll().execute()).rejects.toThrow('permission denied')
  for (const write of [
    read.updateTable('wallets').set({ granted: 1_000 }),
    sql`delete from messages`.compile(read),
  ]) {
    await expect(read.executeQuery(write)).rejects.toThrow('in a read-only transaction')
    const whatever = read.connection().execute(async (db) => {
      await sql`begin read write`.execute(db)
      try {
        await db.executeQuery(write)
      } finally {
        await sql`rollback`.execute(db)
      }
    })
    await expect(whatever, 'in a transaction that says otherwise').rejects.toThrow('permission denied')
  }
})

test('without a policy a read would see everything: the wall is what holds it', async () => {
  await house.storage.writer.write(async (tx) => {
    await sql`drop policy account_rows on messages`.execute(tx)
    await sql
      .raw(`create policy account_rows on messages for select to ${accountReader} using (true)`)
      .execute(tx)
  })
  const rows = await house.storage.readOf('acc_a').selectFrom('messages').select('account_id').execute()
  expect(new Set(rows.map((row) => row.account_id))).toEqual(new Set(['acc_a', 'acc_b']))
})
