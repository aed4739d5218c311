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
  /**
   * Identifies the request: a repeated one is not granted again. Up to 255 characters; unique in both modes
   * of an account.
   */
  requestKey?: string
  actor: string
}

export interface Granted {
  entryId: string
  /** The total granted to the wallet, including this. */
  granted: number
  available: number
  /** True if it was granted before, under the same key. */
  isReplay: boolean
}

interface Deps {
  ids: Ids
  nowMs: number
}

/** More than any country sends in a day: probably a typing error. */
const maxSms = 1_000_000_000

/**
 * Writes a ledger entry and changes `granted` by the same amount, in one transaction. A negative correction
 * takes back only SMS that are neither used nor reserved (P4). Rejects amounts that are not whole numbers,
 * and unknown accounts.
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
 * Creates both wallets of a new account: `freeSms` granted in live mode, `playSms` test credits in test mode.
 * Part of the transaction that creates the account.
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
 * Refills test wallets without a refill on this UTC day: `playSms` are available afterwards, regardless of
 * the amount before. Handles at most `limit` wallets and returns how many, so that the caller continues until
 * there are fewer.
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

/** Reads the grant under the same key, in either mode. Rejects a key that was used for another grant. */
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
    throw wrong('/sms', `The number of SMS must be a whole number other than 0, up to ${maxSms}.`)
  }
  if (sms < 0 && kind !== 'correction') throw wrong('/sms', 'Only a correction can take back SMS.')
  if (note.trim() === '' || note.length > 500)
    throw wrong(
      '/note',
      'A grant needs a note of 1 to 500 characters. It is stored in the ledger permanently.',
    )
}

async function refuseGrant(tx: Tx, { accountId, mode, sms }: Grant) {
  const wallet = await tx
    .selectFrom('wallets')
    .select(['granted', 'reserved', 'used'])
    .where('account_id', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirst()
  if (wallet === undefined) return refuse('not_found', { detail: `Account ${accountId} not found.` })
  const free = wallet.granted - wallet.reserved - wallet.used
  const detail = `Cannot take back ${-sms} SMS: only ${free} of ${wallet.granted} are neither used nor reserved.`
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
