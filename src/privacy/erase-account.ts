import { takeChange } from '../messages/core/change-number.ts'
import { readAccount, setAccountState } from '../accounts/core/accounts.ts'
import { accountErased, eraseAudit } from './erase-audit.ts'
import { eraseKeys } from './erase-keys.ts'
import { eraseAlerts, eraseOpening } from './erase-alerts.ts'
import { eraseInvitations, erasePeople } from './erase-people.ts'
import { refuse } from '../runtime/errors.ts'
import { eraseDeviceHistory, eraseDevices } from './erase-devices.ts'
import type { Ids } from '../runtime/ids.ts'
import { invalidInput } from '../runtime/invalid-input.ts'
import { eraseNotes } from './erase-notes.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Db, Tx } from '../storage/seam/dialect.ts'
import { touchDirectory } from '../storage/seam/directory-version.ts'
import { cancelBeforeClosing } from '../messages/account-state/cancel-before-closing.ts'
import { eraseMessagesOfAccount, hasNumbers, readInFlight } from './erase-account-messages.ts'
import {
  dropEmptyRoutes,
  dropFragments,
  dropIdempotencyKeys,
  dropInboundSeen,
  dropKeywords,
  dropOptOuts,
  dropRouteRules,
  dropUnmatchedReceipts,
} from './erase-account-traces.ts'
import type { EraseAccount, EraseDeps } from './erase-deps.ts'
import { dropWebhooks } from './erase-webhooks.ts'
import { recallOfClosed } from '../messages/phones/phone-recalls.ts'

/**
 * The name of an erased account. It is written last, so that an account with another name may be unfinished.
 */
export const erasedAccount = 'Erased account'

/** The progress of an erasure, after each of its transactions. */
export interface AccountErasure {
  step: AccountErasureStep
  /** In this run: erased messages, and canceled ones among those that were queued. */
  erased: number
  canceled: number
  /**
   * Messages in flight. The erasure does not continue before they are final: the caller waits, or comes back
   * later.
   */
  inFlight: number
  /** When the last of them is final at the latest; null when there are none. */
  finalBy: number | null
  isFinished: boolean
}

export type AccountErasureStep = keyof typeof steps | 'name'

/**
 * Runs a step page by page, and yields each page once it is stored. A repeated run finds only what is new.
 */
type Step = (deps: EraseDeps, asked: EraseAccount) => AsyncIterable<PageDone>
interface PageDone {
  erased?: number
  canceled?: number
  inFlight?: number
  finalBy?: number | null
}
type Page = (tx: Tx, deps: { ids: Ids; nowMs: number }, asked: EraseAccount) => Promise<number>

const pageByPage = (page: Page): Step =>
  async function* ({ writer, ids, clock }, asked) {
    const write = () => writer.write((tx) => page(tx, { ids, nowMs: clock.now() }, asked))
    while ((await write()) > 0) yield {}
  }

/**
 * In this order: first what users and clients could still do, then what names others, last what identifies
 * the account.
 */
const steps = {
  hand_over: settle,
  close,
  keys: pageByPage(eraseKeys),
  messages: eraseMessagesOfAccount,
  webhooks: pageByPage(dropWebhooks),
  devices: pageByPage(eraseDevices),
  device_history: pageByPage(eraseDeviceHistory),
  idempotency_keys: pageByPage(dropIdempotencyKeys),
  opt_outs: pageByPage(dropOptOuts),
  keywords: pageByPage(dropKeywords),
  route_rules: pageByPage(dropRouteRules),
  routes: pageByPage(dropEmptyRoutes),
  fragments: pageByPage(dropFragments),
  parked_receipts: pageByPage(dropUnmatchedReceipts),
  received: pageByPage(dropInboundSeen),
  ledger_notes: pageByPage(eraseNotes),
  invitations: pageByPage(eraseInvitations),
  opening: pageByPage(eraseOpening),
  alerts: pageByPage(eraseAlerts),
  people: pageByPage(erasePeople),
  audit_log: pageByPage(eraseAudit),
} satisfies Record<string, Step>

/**
 * Erases an account: its texts, numbers, names and secrets in every table, and the users who are in no other
 * account. Counts, costs and times stay. Yields after each transaction; a caller that stops iterating stops
 * it there, and the next run continues.
 *
 * While messages are in flight, it yields their number repeatedly, with the account suspended and the rest
 * untouched. Rejects an unknown account, a wrong name, and an account with an operator among its users.
 */
export async function* eraseAccount(
  deps: EraseDeps,
  asked: EraseAccount,
): AsyncGenerator<AccountErasure, void> {
  await requireErasable(deps.read, asked)
  let done = { erased: 0, canceled: 0 }
  const none = { inFlight: 0, finalBy: null, isFinished: false }
  for (;;) {
    for (const [step, pages] of Object.entries(steps) as [keyof typeof steps, Step][])
      for await (const page of pages(deps, asked)) {
        const { erased = 0, canceled = 0, inFlight = 0, finalBy = null } = page
        done = { erased: done.erased + erased, canceled: done.canceled + canceled }
        yield { ...none, ...done, step, inFlight, finalBy }
      }
    const isFinished = await finish(deps, asked)
    yield { ...none, ...done, step: 'name', isFinished }
    if (isFinished) return
  }
}

async function requireErasable(read: Db, { accountId, confirm }: EraseAccount): Promise<void> {
  const account = await read
    .selectFrom('accounts')
    .select('name')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (account === undefined) throw refuse('not_found', { detail: `Account ${accountId} not found.` })
  if (account.name !== confirm) {
    const detail = `To erase ${accountId}, confirm with its exact name: ${account.name}`
    throw invalidInput([{ pointer: '/confirm', code: 'not_in_enum', detail }])
  }
  const operator = await read
    .selectFrom('account_users')
    .innerJoin('users', 'users.id', 'account_users.user_id')
    .select('users.email')
    .where('account_users.account_id', '=', accountId)
    .where('users.is_operator', '=', 1)
    .executeTakeFirst()
  if (operator === undefined) return
  const detail = `${operator.email}, an operator of this instance, is a user of ${accountId}. Only an account without an operator can be erased: another owner must remove that user first.`
  throw invalidInput([{ pointer: '/accountId', code: 'out_of_range', detail }])
}

/**
 * Waits for messages in flight, with the account suspended and not closed: reports of phones of a closed
 * account are no longer accepted. Unsent messages are recalled from phones.
 */
async function* settle(deps: EraseDeps, { accountId, actor }: EraseAccount): AsyncGenerator<PageDone> {
  const { writer, clock, ids } = deps
  await writer.write(async (tx) => {
    if ((await readAccount(tx, accountId)).state !== 'active') return
    const suspending = { ids, nowMs: clock.now(), cancelWaiting: () => Promise.resolve(0) }
    await setAccountState(tx, suspending, { accountId, state: 'suspended', actor })
  })
  for (;;) {
    const open = await readInFlight(deps, accountId)
    if (open.inFlight === 0) return
    await writer.write((tx) => recallOfClosed(tx, accountId, clock.now()))
    yield open
  }
}

async function* close(
  { writer, clock, ids }: EraseDeps,
  { accountId, actor }: EraseAccount,
): AsyncGenerator<PageDone> {
  for (;;) {
    const { changed, canceled } = await writer.write(async (tx) => {
      const unit = await takeChange(tx, clock.now())
      const cancelWaiting = (inTx: Tx, id: string): Promise<number> => cancelBeforeClosing(inTx, unit, id)
      return setAccountState(
        tx,
        { ids, nowMs: unit.nowMs, cancelWaiting },
        { accountId, state: 'closed', actor },
      )
    })
    if (!changed && canceled === 0) return
    yield { canceled }
  }
}

/** Replaces the name, removes the plan, and records the erasure in the audit log, unless a message has arrived meanwhile. */
function finish({ writer, clock, ids }: EraseDeps, { accountId, actor }: EraseAccount): Promise<boolean> {
  const nowMs = clock.now()
  return writer.write(async (tx) => {
    if (await hasNumbers(tx, accountId)) return false
    await tx
      .updateTable('accounts')
      .set({ name: erasedAccount, plan: null, updated_at: nowMs })
      .where('id', '=', accountId)
      .execute()
    await appendAudit(tx, { ids, nowMs }, { accountId, actor, action: accountErased, detail: {} })
    await touchDirectory(tx)
    return true
  })
}
