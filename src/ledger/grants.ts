import { sql } from 'kysely'
import { utcDay } from '../runtime/clock.ts'
import { refuse } from '../runtime/errors.ts'
import type { Ids } from '../runtime/ids.ts'
import { invalidInput } from '../runtime/invalid-input.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { LedgerKind } from '../storage/tables/schema.ts'
import { adjustRows, insertRows, updateRows } from '../storage/seam/sets.ts'
import type { WalletName } from './ledger.ts'

export interface Grant extends WalletName {
  /** Not 0; below 0 only for a `correction`. */
  sms: number
  kind: Exclude<LedgerKind, 'refill'>
  note: string
  /** Names what is asked for: asked for again, it is not granted again. Up to 255 characters; one in both modes of an account. */
  requestKey?: string
  actor: string
}

export interface Granted {
  entryId: string
  /** Of the wallet, now. */
  granted: number
  available: number
  /** Whether it was granted before, under the same key. */
  isReplay: boolean
}

interface Deps {
  ids: Ids
  nowMs: number
}

/** More than any country sends in a day: a slip of the finger, not a grant. */
const maxSms = 1_000_000_000

/**
 * Writes an entry into the ledger and moves `granted` by as much, in the same transaction. A negative correction takes back what
 * is neither used nor reserved and no more (P4). Refuses what is not a whole number, and accounts that do not exist.
 */
export async function grantSms(tx: Tx, deps: Deps, grant: Grant): Promise<Granted> {
  checkGrant(grant)
  const before = await readGranted(tx, grant)
  if (before !== null) return before
  const changed = await tx
    .updateTable('wallets')
    .set({ granted: sql`granted + ${grant.sms}` })
    .where('account_id', '=', grant.accountId)
    .where('mode', '=', grant.mode)
    .where(sql<boolean>`granted + ${grant.sms} >= reserved + used`)
    .returning(['granted', 'reserved', 'used'])
    .executeTakeFirst()
  if (changed === undefined) throw await refuseGrant(tx, grant)
  const entryId = await appendEntry(tx, deps, grant)
  const { accountId, mode, sms, kind, note } = grant
  await appendAudit(tx, deps, {
    accountId,
    actor: grant.actor,
    action: 'balance.granted',
    detail: { entryId, mode, sms, kind, note },
  })
  const { granted, reserved, used } = changed
  return { entryId, granted, available: granted - reserved - used, isReplay: false }
}

/**
 * Opens both wallets of a new account: `freeSms` granted in live mode, `playSms` in test mode. Part of the transaction that makes
 * the account.
 */
export async function openWallets(
  tx: Tx,
  deps: Deps,
  opening: { accountId: string; freeSms: number; playSms: number; lowThreshold: number; actor: string },
): Promise<void> {
  const { accountId, freeSms, playSms, actor } = opening
  const wallet = { account_id: accountId, reserved: 0, used: 0, low_threshold: opening.lowThreshold }
  await insertRows(tx, 'wallets', [
    { ...wallet, mode: 'live', granted: freeSms, refilled_day: null },
    { ...wallet, mode: 'test', granted: playSms, refilled_day: utcDay(deps.nowMs) },
  ])
  const first = { accountId, note: 'Granted to a new account.', actor }
  if (freeSms > 0) await appendEntry(tx, deps, { ...first, mode: 'live', kind: 'grant', sms: freeSms })
  if (playSms > 0) await appendEntry(tx, deps, { ...first, mode: 'test', kind: 'refill', sms: playSms })
}

/**
 * Refills test wallets that had no refill on this UTC day: `playSms` are available afterwards, whether there were fewer before or
 * more. At most `limit` wallets; gives how many, so that the caller goes on until it is fewer.
 */
export async function refillTestWallets(
  tx: Tx,
  deps: Deps,
  refill: { playSms: number; limit: number },
): Promise<number> {
  const today = utcDay(deps.nowMs)
  const wallets = await tx
    .selectFrom('wallets')
    .select(['account_id', 'mode', 'granted', 'reserved', 'used'])
    .where('mode', '=', 'test')
    .where(({ eb, or }) => or([eb('refilled_day', 'is', null), eb('refilled_day', '<', today)]))
    .orderBy('account_id')
    .limit(refill.limit)
    .execute()
  const rows = wallets.map(({ account_id, mode, granted, reserved, used }) => ({
    account_id,
    mode,
    granted: used + reserved + refill.playSms - granted,
  }))
  const moved = rows.filter((row) => row.granted !== 0)
  const entry = {
    kind: 'refill' as const,
    note: 'Daily refill of play SMS.',
    actor: 'system',
    created_at: deps.nowMs,
  }
  await adjustRows(tx, 'wallets', { key: ['account_id', 'mode'], amounts: ['granted'] }, moved)
  await updateRows(
    tx,
    'wallets',
    ['account_id', 'mode'],
    rows.map(({ account_id, mode }) => ({ account_id, mode, refilled_day: today })),
  )
  await insertRows(
    tx,
    'ledger_entries',
    moved.map(({ account_id, mode, granted }) => ({
      account_id,
      mode,
      id: deps.ids('led'),
      sms: granted,
      request_key: null,
      ...entry,
    })),
  )
  return rows.length
}

/** What was granted under the same key before, in either mode. Refuses a key that named another grant. */
async function readGranted(tx: Tx, grant: Grant): Promise<Granted | null> {
  const { accountId, mode, sms, kind, note, requestKey } = grant
  if (requestKey === undefined) return null
  const entry = await tx
    .selectFrom('ledger_entries')
    .innerJoin('wallets', (join) =>
      join
        .onRef('wallets.account_id', '=', 'ledger_entries.account_id')
        .onRef('wallets.mode', '=', 'ledger_entries.mode'),
    )
    .select([
      'ledger_entries.id',
      'ledger_entries.mode',
      'sms',
      'kind',
      'note',
      'granted',
      'reserved',
      'used',
    ])
    .where('ledger_entries.account_id', '=', accountId)
    .where('ledger_entries.mode', 'in', ['live', 'test'])
    .where('ledger_entries.request_key', '=', requestKey)
    .executeTakeFirst()
  if (entry === undefined) return null
  if (entry.sms !== sms || entry.kind !== kind || entry.mode !== mode || entry.note !== note)
    throw refuse('idempotency_key_reused', {
      detail: `This key granted ${entry.sms} SMS before (${entry.mode}, ${entry.kind}, entry ${entry.id}).`,
    })
  const { id: entryId, granted, reserved, used } = entry
  return { entryId, granted, available: granted - reserved - used, isReplay: true }
}

function checkGrant({ sms, kind, note }: Grant): void {
  const wrong = (pointer: string, detail: string) => invalidInput([{ pointer, code: 'out_of_range', detail }])
  if (!Number.isSafeInteger(sms) || sms === 0 || Math.abs(sms) > maxSms) {
    throw wrong('/sms', `The number of SMS must be a whole number, not 0 and not beyond ${maxSms}.`)
  }
  if (sms < 0 && kind !== 'correction') throw wrong('/sms', 'Only a correction takes SMS back.')
  if (note.trim() === '' || note.length > 500)
    throw wrong('/note', 'A grant needs a note of 1 to 500 characters: it stays in the ledger for ever.')
}

async function refuseGrant(tx: Tx, { accountId, mode, sms }: Grant) {
  const wallet = await tx
    .selectFrom('wallets')
    .select(['granted', 'reserved', 'used'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirst()
  if (wallet === undefined) return refuse('not_found', { detail: `There is no account ${accountId}.` })
  const free = wallet.granted - wallet.reserved - wallet.used
  const detail = `Only ${free} of ${wallet.granted} SMS are neither used nor reserved; ${-sms} cannot be taken back.`
  return invalidInput([{ pointer: '/sms', code: 'out_of_range', detail }])
}

interface Entry extends WalletName {
  kind: LedgerKind
  sms: number
  note: string
  requestKey?: string
  actor: string
}

async function appendEntry(
  tx: Tx,
  deps: Deps,
  { accountId, mode, kind, sms, note, requestKey, actor }: Entry,
): Promise<string> {
  const id = deps.ids('led')
  await insertRows(tx, 'ledger_entries', [
    {
      account_id: accountId,
      mode,
      id,
      kind,
      sms,
      note,
      request_key: requestKey ?? null,
      actor,
      created_at: deps.nowMs,
    },
  ])
  return id
}
