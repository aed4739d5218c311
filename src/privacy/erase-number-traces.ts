import { sql } from 'kysely'
import { deleteCanaries } from '../devices/canaries/canary-store.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, insertRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { EraseDeps, EraseNumber, EraseNumberDeps } from './erase-deps.ts'
import type { Wallet } from './erase-page.ts'
import { erasedNumber } from '../messages/core/erased-number.ts'
import { forgetUnmatchedAbout, type UnmatchedPlace } from '../messages/outcomes/unmatched-receipts.ts'
import { type OptOutRow, readNamedOptOuts } from '../messages/core/read-opt-outs.ts'

/** Erases a number outside of messages. Each function scans its table page by page, and can be repeated. */

const pageSize = 500
const digitsOf = (number: string): string => number.slice(1)

/**
 * Erases idempotency keys of sends to the number: their fingerprint is a hash of text and number that can be
 * guessed. Without it the key is rejected as used for another body, so that nothing is sent twice. A key that
 * contains the number itself is deleted.
 */
export async function eraseInKeys(
  { read, writer }: EraseDeps,
  { accountId, mode }: Wallet,
  number: string,
): Promise<void> {
  const ofWallet = () =>
    read.selectFrom('idempotency_keys').where('account_id', '=', accountId).where('mode', '=', mode)
  for (let after = ''; ;) {
    const end = await ofWallet()
      .select('key')
      .where('key', '>', after)
      .orderBy('key')
      .limit(1)
      .offset(pageSize)
      .executeTakeFirst()
    let query = ofWallet()
      .select(['account_id', 'mode', 'key'])
      .where('key', '>', after)
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('key', 'like', `%${digitsOf(number)}%`),
          eb(
            'send_id',
            'in',
            selectFrom('messages')
              .select(sql<string>`send_id`.as('send_id'))
              .where('messages.account_id', '=', accountId)
              .where('messages.mode', '=', mode)
              .where('recipient', '=', number)
              .where('send_id', 'is not', null),
          ),
        ]),
      )
    if (end !== undefined) query = query.where('key', '<=', end.key)
    const rows = await query.execute()
    const withNumber = rows.filter(({ key }) => key.includes(digitsOf(number)))
    const others = rows.filter(({ key }) => !key.includes(digitsOf(number)))
    if (rows.length > 0)
      await writer.write(async (tx) => {
        await deleteRows(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], withNumber)
        const blank = others.map((row) => ({ ...row, fingerprint: erasedNumber, warnings: '[]' }))
        await updateRows(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], blank)
      })
    if (end === undefined) return
    after = end.key
  }
}

/**
 * Replaces the number by its hash in opt-outs, which must apply even after the erasure. While a message to
 * the number is in flight, the number stays as well: if that message is requeued, claims compare only
 * numbers.
 */
export async function eraseInOptOuts(
  { read, writer, numbers }: EraseNumberDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  // The accounts are read outside of the unit: no index leads from a number to its accounts.
  let query = read
    .selectFrom('opt_outs')
    .select(['account_id', 'mode', 'recipient'])
    .where('recipient', '=', number)
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  const names = await query.execute()
  if (names.length > 0) await writer.write((tx) => hashOptOuts(tx, names, numbers.of(number)))
}

/**
 * Merges with the hash of an earlier erasure: the newer opt-out replaces it, unless the hash expires later.
 * An opt-out that applies is never replaced by an expired one.
 */
async function hashOptOuts(
  tx: Tx,
  names: readonly Pick<OptOutRow, 'account_id' | 'mode' | 'recipient'>[],
  hashed: string,
): Promise<void> {
  const rows = await readNamedOptOuts(tx, names)
  const before = await readNamedOptOuts(
    tx,
    rows.map((row) => ({ ...row, recipient: hashed })),
  )
  const endsAt = new Map(before.map((row) => [walletOf(row), endOf(row)]))
  const fresh = rows.filter((row) => !endsAt.has(walletOf(row)))
  const later = rows.filter(
    (row) => endsAt.has(walletOf(row)) && endOf(row) >= (endsAt.get(walletOf(row)) as number),
  )
  await insertRows(
    tx,
    'opt_outs',
    fresh.map((row) => ({ ...row, recipient: hashed })),
  )
  await updateRows(
    tx,
    'opt_outs',
    optOutKey,
    later.map((row) => ({ ...row, recipient: hashed })),
  )
  const open = await selectEach<Pick<OptOutRow, 'account_id' | 'mode'>>(
    tx,
    openTo,
    rows.map((row) => [row.account_id, row.mode, row.recipient]),
  )
  const stillOpen = new Set(open.map(walletOf))
  await deleteRows(
    tx,
    'opt_outs',
    optOutKey,
    rows.filter((row) => !stillOpen.has(walletOf(row))),
  )
}

const optOutKey = ['account_id', 'mode', 'recipient'] as const
const endOf = ({ forget_at }: Pick<OptOutRow, 'forget_at'>): number => forget_at ?? Infinity
const walletOf = ({ account_id, mode }: Pick<OptOutRow, 'account_id' | 'mode'>): string =>
  `${account_id}/${mode}`

const openTo = {
  sql: `select account_id, mode from messages where account_id = :account and mode = :mode and recipient = :number
        and (status = 'scheduled' or status = 'queued') limit 1`,
  inputs: ['account', 'mode', 'number'],
} as const

/**
 * Deletes fragments of long messages from the number, and unmatched receipts about it. Those of shared
 * devices only when the number is erased for every account.
 */
export async function eraseUnjoined(
  { writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  // Read by the writer: readers for an account cannot see unmatched receipts.
  const devices = await writer.write((tx) => devicesWithUnmatched(tx, accountId))
  for (const { id: deviceId } of devices)
    for (let after: UnmatchedPlace | null = { receivedAtMs: 0, networkId: '' }; after !== null;) {
      const page: Parameters<typeof forgetUnmatchedAbout>[1] = { deviceId, recipient: number, behind: after }
      after = await writer.write((tx) => forgetUnmatchedAbout(tx, page))
    }
  await writer.write(async (tx) => {
    let query = tx.deleteFrom('inbound_fragments').where('sender', 'in', spellingsOf(number))
    if (accountId !== null) query = query.where('account_id', '=', accountId)
    await query.execute()
  })
}

function devicesWithUnmatched(tx: Tx, accountId: string | null): Promise<{ id: string }[]> {
  let devices = tx
    .selectFrom('devices')
    .select('id')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('parked_receipts').select('reading').whereRef('device_id', '=', 'devices.id')),
    )
  if (accountId !== null) devices = devices.where('account_id', '=', accountId)
  return devices.execute()
}

/** Erases the number in audit entries, such as those of exports. */
export async function eraseInAudit(
  { read, writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  const digits = digitsOf(number)
  for (let after = ''; ;) {
    let query = read
      .selectFrom('audit_log')
      .select(['id', 'detail'])
      .where('id', '>', after)
      .where(sql<boolean>`detail like ${`%${digits}%`}`)
      .orderBy('id')
      .limit(pageSize)
    if (accountId !== null) query = query.where('account_id', '=', accountId)
    const rows = await query.execute()
    const last = rows.at(-1)
    if (last === undefined) return
    const blank = rows.map(({ id, detail }) => ({ id, detail: without(detail, digits) }))
    await writer.write((tx) => updateRows(tx, 'audit_log', ['id'], blank))
    after = last.id
  }
}

/**
 * Deletes the keys under which SIM plans know the number, found by hashing it again. What their SIMs used stays counted.
 * Those of shared devices only when the number is erased for every account.
 */
export async function eraseInPlans(
  { read, writer, numbers }: EraseNumberDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  let query = read
    .selectFrom('sim_numbers as n')
    .innerJoin('devices as d', 'd.id', 'n.device_id')
    .select(['n.device_id', 'n.sim', 'n.number_key'])
    .where('n.number_key', 'in', numbers.inPlans(number))
  if (accountId !== null) query = query.where('d.account_id', '=', accountId)
  const rows = await query.execute()
  if (rows.length > 0)
    await writer.write((tx) => deleteRows(tx, 'sim_numbers', ['device_id', 'sim', 'number_key'], rows))
}

/** Deletes canaries to the number. */
export async function eraseInCanaries(
  { read, writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  let query = read.selectFrom('canaries').select('id').where('recipient', '=', number)
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  const ids = (await query.execute()).map(({ id }) => id)
  if (ids.length > 0) await writer.write((tx) => deleteCanaries(tx, ids))
}

/** Returns the document without the number in any of its texts. */
const without = (json: string, digits: string): string =>
  JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(new RegExp(`(?<!\\d)(?:\\+|00)?${digits}(?!\\d)`, 'g'), erasedNumber)
      : value,
  )

/** Spellings of an international number in networks (E.164, and with the prefix of most countries). */
export const spellingsOf = (number: string): string[] => [number, number.slice(1), `00${number.slice(1)}`]
