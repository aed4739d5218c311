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
import { cancelBeforeClosing } from '../messages/queue/cancel-before-closing.ts'
import { eraseMessagesOfAccount, hasNumbers, readHandedOver } from './erase-account-messages.ts'
import {
  dropEmptyRoutes,
  dropFragments,
  dropIdempotencyKeys,
  dropInboundSeen,
  dropKeywords,
  dropOptOuts,
  dropParkedReceipts,
} from './erase-account-traces.ts'
import type { EraseAccount, EraseDeps } from './erase-deps.ts'
import { dropWebhooks } from './erase-webhooks.ts'
import { recallOfClosed } from '../messages/phones/phone-recalls.ts'

/** What an account is called that was erased: written last, so that whoever bears another name may not be done with. */
export const erasedAccount = 'Erased account'

/** How far an erasure is, after each transaction of it. */
export interface AccountErasure {
  step: AccountErasureStep
  /** In this run: messages erased, and those of all that waited and were canceled. */
  erased: number
  canceled: number
  /** Are being handed over at this moment. Nothing goes on before they are final: whoever asks waits, or comes again. */
  inFlight: number
  /** When the last of them is final at the latest; null when there is none. */
  finalBy: number | null
  isFinished: boolean
}

export type AccountErasureStep = keyof typeof steps | 'name'

/** Takes a step page by page, and tells of each page once it is stored. Taken again it finds only what has come since. */
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

/** In this order: what people and programs could still do first; then what names others; what the account is known by last. */
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
  routes: pageByPage(dropEmptyRoutes),
  fragments: pageByPage(dropFragments),
  parked_receipts: pageByPage(dropParkedReceipts),
  received: pageByPage(dropInboundSeen),
  ledger_notes: pageByPage(eraseNotes),
  invitations: pageByPage(eraseInvitations),
  opening: pageByPage(eraseOpening),
  alerts: pageByPage(eraseAlerts),
  people: pageByPage(erasePeople),
  audit_log: pageByPage(eraseAudit),
} satisfies Record<string, Step>

/**
 * Erases an account: its texts, numbers, names and secrets in every table, and the people who are in no other account. Counts, costs and times stay.
 * Tells of each transaction after it; whoever stops asking stops it there, and the next run goes on. While messages are being handed over it tells
 * of them over and over, the account suspended and the rest untouched. Refuses an account that does not exist, a name that is not its own, and
 * one with an operator among its people.
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
  if (account === undefined) throw refuse('not_found', { detail: `There is no account ${accountId}.` })
  if (account.name !== confirm) {
    const detail = `To erase ${accountId}, confirm it with its name exactly as it is: ${account.name}`
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
  const detail = `${accountId} is an account of ${operator.email}, who operates this instance. Only an account without an operator can be erased: let another owner remove that person from it first.`
  throw invalidInput([{ pointer: '/accountId', code: 'out_of_range', detail }])
}

/**
 * Waits for what is being handed over, suspended and not closed: phones of a closed account are not heard any more. They are asked to let go of what
 * they have not sent.
 */
async function* settle(deps: EraseDeps, { accountId, actor }: EraseAccount): AsyncGenerator<PageDone> {
  const { writer, clock, ids } = deps
  await writer.write(async (tx) => {
    if ((await readAccount(tx, accountId)).state !== 'active') return
    const suspending = { ids, nowMs: clock.now(), cancelWaiting: () => Promise.resolve(0) }
    await setAccountState(tx, suspending, { accountId, state: 'suspended', actor })
  })
  for (;;) {
    const open = await readHandedOver(deps, accountId)
    if (open.inFlight === 0) return
    await writer.write((tx) => recallOfClosed(tx, accountId, clock.now()))
    yield open
  }
}

async function* close(
  { writer, clock, ids, hold }: EraseDeps,
  { accountId, actor }: EraseAccount,
): AsyncGenerator<PageDone> {
  for (;;) {
    const { changed, canceled } = await hold(clock.now(), (timeIn) =>
      writer.write(async (tx) => {
        const nowMs = await timeIn(tx)
        const cancelOf = (inTx: Tx, id: string): Promise<number> => cancelBeforeClosing(inTx, id, nowMs)
        return setAccountState(
          tx,
          { ids, nowMs, cancelWaiting: cancelOf },
          { accountId, state: 'closed', actor },
        )
      }),
    )
    if (!changed && canceled === 0) return
    yield { canceled }
  }
}

/** Takes the name, and says in the audit log that it was done, unless something has come meanwhile. */
function finish({ writer, clock, ids }: EraseDeps, { accountId, actor }: EraseAccount): Promise<boolean> {
  const nowMs = clock.now()
  return writer.write(async (tx) => {
    if (await hasNumbers(tx, accountId)) return false
    await tx
      .updateTable('accounts')
      .set({ name: erasedAccount, updated_at: nowMs })
      .where('id', '=', accountId)
      .execute()
    await appendAudit(tx, { ids, nowMs }, { accountId, actor, action: accountErased, detail: {} })
    await touchDirectory(tx)
    return true
  })
}
