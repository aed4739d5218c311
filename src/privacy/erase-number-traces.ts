import { sql } from 'kysely'
import type { Tx } from '../storage/seam/dialect.ts'
import { deleteRows, insertRows, selectEach, updateRows } from '../storage/seam/sets.ts'
import type { EraseDeps, EraseNumber, EraseNumberDeps } from './erase-deps.ts'
import type { Wallet } from './erase-page.ts'
import { erasedNumber } from '../messages/core/erased-number.ts'
import { forgetParkedAbout, type ParkedPlace } from '../messages/outcomes/parked-receipts.ts'
import { type OptOutRow, readNamedOptOuts } from '../messages/queue/stored-opt-outs.ts'

/** Where a number stands beside messages. Each goes through its table in pieces, and again when asked again. */

const pageSize = 500
const digitsOf = (number: string): string => number.slice(1)

/**
 * Idempotency keys of sends to the number: their fingerprint is a hash of the text and the number that anybody could try. Without it the key is
 * refused as used for something else, so that nothing is ever sent twice. A key that holds the number itself goes.
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
    const telling = rows.filter(({ key }) => key.includes(digitsOf(number)))
    const others = rows.filter(({ key }) => !key.includes(digitsOf(number)))
    if (rows.length > 0)
      await writer.write(async (tx) => {
        await deleteRows(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], telling)
        const blank = others.map((row) => ({ ...row, fingerprint: erasedNumber, warnings: '[]' }))
        await updateRows(tx, 'idempotency_keys', ['account_id', 'mode', 'key'], blank)
      })
    if (end === undefined) return
    after = end.key
  }
}

/**
 * Who said STOP must not be written to, erased or not: the hash stands for the number from now on. While something is being handed over to it, the
 * number stands too: should that come back, claims know numbers alone.
 */
export async function eraseInOptOuts(
  { read, writer, numbers }: EraseNumberDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  // Who has one at all is looked for outside of the unit: no index leads from a number to its accounts.
  let query = read
    .selectFrom('opt_outs')
    .select(['account_id', 'mode', 'recipient'])
    .where('recipient', '=', number)
  if (accountId !== null) query = query.where('account_id', '=', accountId)
  const names = await query.execute()
  if (names.length > 0) await writer.write((tx) => hashOptOuts(tx, names, numbers.of(number)))
}

/** Of a number that was erased before, what it said since counts, unless the hash outlasts that: what holds never gives way to what has ended. */
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
        and (status = 'scheduled' or status = 'queued' or status = 'sending') limit 1`,
  inputs: ['account', 'mode', 'number'],
} as const

/** Pieces of long messages from the number, and receipts about it that nobody waited for. Those of shared devices when it is erased for every account. */
export async function eraseUnjoined(
  { writer }: EraseDeps,
  { number, accountId }: EraseNumber,
): Promise<void> {
  // By the writer: reads for an account see no parked receipts.
  const devices = await writer.write((tx) => devicesWithParked(tx, accountId))
  for (const { id: deviceId } of devices)
    for (let behind: ParkedPlace | null = { receivedAtMs: 0, networkId: '' }; behind !== null;) {
      const page: Parameters<typeof forgetParkedAbout>[1] = { deviceId, recipient: number, behind }
      behind = await writer.write((tx) => forgetParkedAbout(tx, page))
    }
  await writer.write(async (tx) => {
    let query = tx.deleteFrom('inbound_fragments').where('sender', 'in', spellingsOf(number))
    if (accountId !== null) query = query.where('account_id', '=', accountId)
    await query.execute()
  })
}

function devicesWithParked(tx: Tx, accountId: string | null): Promise<{ id: string }[]> {
  let devices = tx
    .selectFrom('devices')
    .select('id')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('parked_receipts').select('reading').whereRef('device_id', '=', 'devices.id')),
    )
  if (accountId !== null) devices = devices.where('account_id', '=', accountId)
  return devices.execute()
}

/** Entries of the audit log that name the number, as those of exports do. */
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

/** A document without the number in any of its texts. */
const without = (json: string, digits: string): string =>
  JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(new RegExp(`(?<!\\d)(?:\\+|00)?${digits}(?!\\d)`, 'g'), erasedNumber)
      : value,
  )

/** How networks write an international number (E.164, and with the prefix of most countries). */
export const spellingsOf = (number: string): string[] => [number, number.slice(1), `00${number.slice(1)}`]
