import { dayMs, hourMs, utcDay } from '../../runtime/clock.ts'
import { lowestIdAt } from '../../runtime/ids.ts'
import { eraseTexts, isServed, readTexts, type RetentionMark } from '../../privacy/erase-texts.ts'
import { readOldKeys } from '../../privacy/purge-idempotency-keys.ts'
import { holdsAnything } from '../../storage/instance/restore-holds.ts'
import { hasOldChanges, removeOldChanges } from '../../privacy/remove-old-changes.ts'
import { type Old, readOldMessages, removeMessages } from '../../privacy/remove-old-messages.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import { readClockLag } from '../../messages/core/change-number.ts'
import type { Wallet } from '../../privacy/erase-page.ts'
import { deleteRows } from '../../storage/seam/sets.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import { aheadRemover } from './ahead-remover.ts'
import { purgeOld, purgedAtOnce, type OldRows } from './purge-old.ts'
import { unusedWayRemover } from './unused-ways.ts'
import { Sweeper, type SweeperDeps } from './sweeper.ts'
import { beforeWallets, readWalletsAfter } from './wallets-after.ts'

const intervalMs = 60_000
/** Small pages, so that accepting never waits long for one. */
const pageSize = 500

export interface RetentionDeps extends SweeperDeps {
  read: Db
  writer: Writer
  recordDays: number
  /** How long after its last state a message may still be reported on and corrected by a receipt. */
  correctableMs: number
  textDays: number
  idempotencyDays: number
  /** 0: indefinitely. */
  auditDays: number
  keyUsageDays: number
  endedOptOutDays: number
  deviceHistoryDays: number
  alertDays: number
}

/**
 * A message is final within this time of its last change: up to 30 days scheduled, 3 of validity, 3 of waiting
 * for its receipt.
 */
const longestLifeMs = 36 * dayMs

/** How far the texts of one wallet have been processed. A restart begins from the start. */
interface Progress {
  /** Where the next pass begins: before the first message that kept its text. */
  fromId: string
  /** How far this pass has come. */
  atId: string
  /** When this pass began, and whether it has reached the end. */
  beganMs: number
  isOver: boolean
}

/**
 * How often a pass starts: it reads everything after the first message that is not final, which may be
 * scheduled for weeks. So the text of a message that became final later than its age is removed within an
 * hour. Texts that are kept for less than a day are all read before their messages are final.
 */
const passMs = (textDays: number): number => (textDays === 0 ? 0 : hourMs)

/**
 * Keeps records and texts no longer than promised, wallet by wallet. `ledger_entries` and `usage_days` are
 * kept permanently: they prove the balances of the wallets.
 */
export function createRetention(deps: RetentionDeps): Sweeper {
  const progress = new Map<string, Progress>()
  /**
   * How far this pass has come in a wallet: the index keeps entries of what was removed, which a scan from
   * its start would read.
   */
  const removedUpTo = new Map<string, string>()
  const purgeKeys = keyPurger(deps)
  const removeUnusedWays = unusedWayRemover(deps)
  const removeAhead = aheadRemover(deps, () => oldBy(deps))

  async function eraseOf({ accountId, mode }: Wallet, lagMs: number): Promise<boolean> {
    const name = `${accountId}/${mode}`
    const nowMs = deps.clock.now()
    const before = progress.get(name) ?? { fromId: '', atId: '', beganMs: nowMs, isOver: false }
    const isDue = before.isOver && Math.abs(nowMs - before.beganMs) >= passMs(deps.textDays)
    const at = isDue ? { ...before, atId: before.fromId, beganMs: nowMs } : before
    const mark = { accountId, mode, afterId: at.atId }
    const beforeMs = nowMs - deps.textDays * dayMs
    const texts = await readTexts(deps.read, mark, { beforeMs, lagMs }, pageSize)
    const served = texts.filter((message) => isServed(message, beforeMs))
    if (served.length > 0) await deps.writer.write((tx) => eraseTexts(tx, served))
    progress.set(name, advance(at, texts, beforeMs))
    const isMore = [
      await removeOf({ accountId, mode }),
      await removeAhead({ accountId, mode }, lagMs),
      await removeChanges(deps, { accountId, mode }),
    ]
    return isMore.includes(true) || texts.length === pageSize
  }

  async function removeOf(wallet: Wallet): Promise<boolean> {
    const name = `${wallet.accountId}/${wallet.mode}`
    const mark = { ...wallet, afterId: removedUpTo.get(name) ?? '' }
    const old = oldBy(deps)
    const isAny = (await readOldMessages(deps.read, mark, old, 1)).length > 0
    // Read where they are removed: another node that believes it leads may have counted them as archived meanwhile.
    const page = isAny ? await deps.writer.write((tx) => removePage(tx, mark, old)) : []
    const isMore = page.length === pageSize
    if (isMore) removedUpTo.set(name, page.at(-1)?.id ?? '')
    else removedUpTo.delete(name)
    return isMore
  }

  async function sweep(): Promise<boolean> {
    const begun = [await purgeKeys(), await purgeRecords(deps), await removeUnusedWays()]
    let more = begun.includes(true)
    const lagMs = await readClockLag(deps.read)
    for (let after = beforeWallets; ;) {
      const wallets = await readWalletsAfter(deps.read, after, pageSize)
      for (const { account_id: accountId, mode } of wallets)
        more = (await eraseOf({ accountId, mode }, lagMs)) || more
      const last = wallets.at(-1)
      if (last === undefined) return more
      after = last
    }
  }

  return new Sweeper(deps, { name: 'retention', intervalMs, sweep })
}

function oldBy(deps: RetentionDeps): Old {
  const nowMs = deps.clock.now()
  return {
    acceptedBeforeMs: nowMs - deps.recordDays * dayMs,
    settledBeforeMs: nowMs - deps.correctableMs,
  }
}

/** Removes the records of changes of messages that retention has removed by now. */
async function removeChanges(
  { read, writer, clock, recordDays }: RetentionDeps,
  wallet: Wallet,
): Promise<boolean> {
  const beforeMs = clock.now() - recordDays * dayMs - longestLifeMs
  const isAny = await hasOldChanges(read, wallet, beforeMs)
  // What a restore holds waits until the operator decides, however long.
  if (!isAny || (await holdsAnything(read))) return false
  return writer.write((tx) => removeOldChanges(tx, wallet, beforeMs))
}

async function removePage(tx: Tx, mark: RetentionMark, old: Old): Promise<{ id: string }[]> {
  const page = await readOldMessages(tx, mark, old, pageSize)
  await removeMessages(tx, page, old)
  return page
}

/**
 * A message that keeps its text keeps the start of the next pass, however many after it are done; this pass
 * continues after them.
 */
function advance(
  { fromId, atId, beganMs }: Progress,
  page: readonly { id: string; created_at: number; finalized_at: number | null }[],
  beforeMs: number,
): Progress {
  const isUnbroken = fromId === atId
  const waiting = page.findIndex((message) => !isServed(message, beforeMs))
  const lastServed = page.at(waiting === -1 ? -1 : waiting - 1)
  const nextFrom = isUnbroken && waiting !== 0 && lastServed !== undefined ? lastServed.id : fromId
  return { fromId: nextFrom, atId: page.at(-1)?.id ?? atId, beganMs, isOver: page.length < pageSize }
}

/** Purges what has its own retention period, at most a page of each at a time. */
async function purgeRecords(deps: RetentionDeps): Promise<boolean> {
  const nowMs = deps.clock.now()
  const { recordDays, auditDays, keyUsageDays, endedOptOutDays } = deps
  const deviceHistoryMs = nowMs - deps.deviceHistoryDays * dayMs
  const isMore = await Promise.all([
    purgeOld(deps, inboundSeen, nowMs - recordDays * dayMs),
    purgeOld(deps, auditLog, auditDays === 0 ? '' : lowestIdAt('aud', nowMs - auditDays * dayMs)),
    purgeOld(deps, keyUsage, utcDay(nowMs) - keyUsageDays),
    purgeOld(deps, optOuts, nowMs - endedOptOutDays * dayMs),
    purgeOld(deps, deviceStates, deviceHistoryMs),
    purgeOld(deps, deviceSamples, deviceHistoryMs),
    purgeOld(deps, unreadForms, deviceHistoryMs),
    // Opened within a day, and evidence for another one.
    purgeOld(deps, reachChecks, nowMs - 2 * dayMs),
    purgeOld(deps, serverRuns, deviceHistoryMs),
    purgeOld(deps, deadNodes, deviceHistoryMs),
    purgeOld(deps, alerts, nowMs - deps.alertDays * dayMs),
    purgeOld(deps, sessions, new Date(nowMs).toISOString()),
    purgeOld(deps, signInSteps, new Date(nowMs).toISOString()),
    purgeOld(deps, passkeyChallenges, nowMs),
    purgeOld(deps, simNumbers, utcDay(nowMs) - simNumberDays),
    purgeOld(deps, followers, nowMs - recordDays * dayMs - longestLifeMs),
    purgeOld(deps, simUsage, utcDay(nowMs) - simUsageDays),
  ])
  return isMore.includes(true)
}

/** Received messages are recognised as duplicates as long as their records are kept. */
const inboundSeen: OldRows<'inbound_seen'> = {
  table: 'inbound_seen',
  key: ['device_id', 'fingerprint'],
  age: 'received_at',
}
/** An ID contains its time. */
const auditLog: OldRows<'audit_log'> = { table: 'audit_log', key: ['id'], age: 'id' }
const keyUsage: OldRows<'api_key_usage'> = { table: 'api_key_usage', key: ['key_id', 'day'], age: 'day' }
/** Those without an end are kept permanently. */
const optOuts: OldRows<'opt_outs'> = {
  table: 'opt_outs',
  key: ['account_id', 'mode', 'recipient'],
  age: 'forget_at',
}

/** Sessions of the console that expired, and incomplete sign-ins. Their times are ISO 8601, which sorts as text. */
const sessions: OldRows<'auth_sessions'> = { table: 'auth_sessions', key: ['id'], age: 'expiresAt' }
const signInSteps: OldRows<'auth_verifications'> = {
  table: 'auth_verifications',
  key: ['id'],
  age: 'expiresAt',
}

/** They outlive their messages by as long as a message may take to be final. */
const followers: OldRows<'followers'> = {
  table: 'followers',
  key: ['account_id', 'mode', 'message_id'],
  age: 'created_at',
}
/** No month of a contract that began before has not ended, in any zone. */
const simNumberDays = 33
const simNumbers: OldRows<'sim_numbers'> = {
  table: 'sim_numbers',
  key: ['device_id', 'sim', 'number_key'],
  age: 'day',
}
/** A month and the week before it are read; as much again stays for those who compare it with a bill. */
const simUsageDays = 62
const simUsage: OldRows<'sim_usage'> = { table: 'sim_usage', key: ['device_id', 'sim', 'day'], age: 'day' }

/** A response to an expired one is rejected for its age. */
const passkeyChallenges: OldRows<'passkey_challenges'> = {
  table: 'passkey_challenges',
  key: ['hash'],
  age: 'expires_at',
}

/** The current state of a device has no end and is kept, regardless of its age. */
const deviceStates: OldRows<'device_states'> = {
  table: 'device_states',
  key: ['device_id', 'from_at'],
  age: 'until_at',
}
const deviceSamples: OldRows<'device_samples'> = {
  table: 'device_samples',
  key: ['device_id', 'at'],
  age: 'at',
}
const unreadForms: OldRows<'unread_forms'> = {
  table: 'unread_forms',
  key: ['device_id', 'kind', 'form'],
  age: 'last_at',
}
const reachChecks: OldRows<'reach_checks'> = {
  table: 'reach_checks',
  key: ['nonce_hash'],
  age: 'created_at',
}
const serverRuns: OldRows<'server_runs'> = { table: 'server_runs', key: ['epoch'], age: 'seen_at' }
/** What they had open was ended within a minute. */
const deadNodes: OldRows<'nodes'> = { table: 'nodes', key: ['epoch'], age: 'left_at' }

/** Current ones have no end and are kept; their mails are removed with them. */
const alerts: OldRows<'alerts'> = { table: 'alerts', key: ['id'], age: 'ended_at' }

const beforeAllKeys = { account_id: '', mode: '', key: '', created_at: 0 }

/**
 * Purges idempotency keys: each is kept for its days and until every message of its send is final. A page of
 * keys that are still needed ends this sweep; the next one continues after it, so that many of them, as after
 * a restore, neither hide the others nor are read all the time.
 */
function keyPurger({ read, writer, clock, idempotencyDays }: RetentionDeps): () => Promise<boolean> {
  let after: Parameters<typeof readOldKeys>[1] = beforeAllKeys
  return async () => {
    const keys = await readOldKeys(read, after, clock.now() - idempotencyDays * dayMs, purgedAtOnce)
    const done = keys.filter((key) => key.is_needed === 0)
    const columns = ['account_id', 'mode', 'key', 'created_at'] as const
    if (done.length > 0) await writer.write((tx) => deleteRows(tx, 'idempotency_keys', columns, done))
    const isMore = keys.length === purgedAtOnce
    after = (isMore ? keys.at(-1) : undefined) ?? beforeAllKeys
    return isMore && done.length > 0
  }
}
