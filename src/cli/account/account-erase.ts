import { type Clock, rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { type AccountErasure, type AccountErasureStep, eraseAccount } from '../../privacy/erase-account.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { eraseDeps, logLines } from '../message/message-erase.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

/** SMPP connections and connected phones respond within seconds. */
const defaultWaitSeconds = 60
const pollMs = 500
/** Beyond this, messages in flight take hours. */
const maxWaitSeconds = 3_600

export const eraseAccountCommand = command({
  summary: 'Erases an account permanently: texts, numbers, names and secrets, and users of no other account.',
  details:
    'Can run while the server runs, in small steps; after an interruption, run it again. The account is suspended first, and nothing is erased before messages in flight are final. Then it is closed: scheduled and queued messages are canceled, keys revoked and devices removed. Counts, costs and times stay. Earlier backups still contain the account. Exit code 1 when messages were in flight for longer than --wait.',
  arguments: [],
  options: {
    account: accountOption,
    confirm: {
      type: 'text',
      value: 'NAME',
      summary: 'Exact name of the account, because this cannot be undone.',
      required: true,
    },
    wait: {
      type: 'number',
      value: 'SECONDS',
      summary: `Maximum seconds to wait for messages in flight, up to ${maxWaitSeconds}. Default: ${defaultWaitSeconds}.`,
    },
  },
  async run(tools, { options, json }) {
    const { account: accountId, confirm, wait = defaultWaitSeconds } = options
    if (wait < 0 || wait > maxWaitSeconds)
      throw new UsageError(`--wait must be from 0 to ${maxWaitSeconds} seconds.`)
    const { done, isLogEmpty } = await tools.withStorage(async (storage) => {
      const erasing = eraseAccount(eraseDeps(tools, storage), { accountId, confirm, actor: cliActor })
      const last = await followErasure(tools, erasing, {
        waitMs: wait * 1_000,
        report: json ? null : createReporter(tools),
      })
      return { done: last, isLogEmpty: await storage.emptyLog() }
    })
    return {
      json: {
        ok: done.isFinished,
        account_id: accountId,
        erased_messages: done.erased,
        canceled_messages: done.canceled,
        being_handed_over: done.inFlight,
        final_by: rfc3339OrNull(done.finalBy),
        log_emptied: isLogEmpty,
      },
      text: [
        done.isFinished
          ? `${accountId} is erased: ${done.erased} messages; ${done.canceled} scheduled or queued messages were canceled.`
          : notErasedLine(accountId, done),
        ...logLines(tools, isLogEmpty),
      ].join('\n'),
      exitCode: done.isFinished ? 0 : 1,
    }
  },
})

/** Continues to the end, or until messages were in flight for longer than `waitMs`. */
async function followErasure(
  { clock }: CommandContext,
  erasing: AsyncIterable<AccountErasure>,
  { waitMs, report }: { waitMs: number; report: ((now: AccountErasure) => void) | null },
): Promise<AccountErasure> {
  let last: AccountErasure | null = null
  let waitingSinceMs: number | null = null
  for await (const now of erasing) {
    report?.(now)
    last = now
    const mustWait = now.inFlight > 0 || (now.step === 'name' && !now.isFinished)
    if (!mustWait) continue
    waitingSinceMs ??= clock.monotonicMs()
    if (clock.monotonicMs() - waitingSinceMs >= waitMs) break
    await pause(clock, pollMs)
  }
  if (last === null) throw new Error('The erasure ended without a result.')
  return last
}

async function pause(clock: Clock, delayMs: number): Promise<void> {
  // The timers of the clock do not keep the process alive.
  const alive = setInterval(() => undefined, 3_600_000)
  await new Promise<void>((resolve) => void clock.schedule(delayMs, resolve))
  clearInterval(alive)
}

const notErasedLine = (accountId: string, { inFlight, finalBy }: AccountErasure): string => {
  const by = finalBy === null ? '' : ` They are final by ${rfc3339(finalBy)}.`
  return `${accountId} is not erased yet: ${inFlight} messages are in flight. Nothing new is sent for it.${by} Run the command again then.`
}

const stepTexts: Readonly<Record<AccountErasureStep, string>> = {
  hand_over: 'Suspended; waiting for messages in flight.',
  close: 'Closed; canceling scheduled and queued messages.',
  keys: 'Revoking API keys.',
  messages: 'Erasing messages.',
  webhooks: 'Erasing webhook endpoints and their deliveries.',
  devices: 'Retiring devices.',
  device_history: 'Erasing the history of devices.',
  idempotency_keys: 'Erasing idempotency keys.',
  opt_outs: 'Erasing opt-outs.',
  keywords: 'Erasing keywords.',
  route_rules: 'Erasing rules of routes.',
  routes: 'Erasing routes.',
  fragments: 'Erasing fragments of long messages.',
  parked_receipts: 'Erasing unmatched receipts.',
  received: 'Erasing fingerprints of received messages.',
  ledger_notes: 'Erasing ledger notes.',
  invitations: 'Erasing invitations.',
  opening: 'Erasing the request that created the account.',
  alerts: 'Erasing alerts.',
  people: 'Erasing users of no other account.',
  audit_log: 'Erasing details in the audit log.',
  name: 'Erasing the name.',
}
const messagesPerLine = 10_000

/** Writes each step once, and the number of erased messages, to standard error. */
function createReporter({ io }: CommandContext): (now: AccountErasure) => void {
  let reported: AccountErasureStep | null = null
  let counted = 0
  return ({ step, erased }) => {
    if (step !== reported) io.stderr.write(`${stepTexts[step]}\n`)
    reported = step
    if (erased - counted < messagesPerLine) return
    counted = erased
    io.stderr.write(`Erased ${erased} messages.\n`)
  }
}
