import { type Clock, rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { type AccountErasure, type AccountErasureStep, eraseAccount } from '../../privacy/erase-account.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { eraseDeps, logLines } from '../message/message-erase.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'

/** A link answers within seconds, and a phone that listens too. */
const defaultWaitSeconds = 60
const lookEveryMs = 500
/** Nobody watches for longer; what is handed over then takes hours. */
const maxWaitSeconds = 3_600

export const eraseAccountCommand = command({
  summary:
    'Erases an account for ever: texts, numbers, names and secrets, and the people of no other account.',
  details:
    'Works beside the server, in small steps; when it was interrupted, run it again. The account is suspended first, and nothing is erased before what is being handed over is final. Then it is closed: what waits is canceled, keys and devices end. Counts, costs and times stay. Backups made before still hold it. Exits with 1 when something was being handed over for longer than it waits.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Id of the account: acc_…', required: true },
    confirm: {
      type: 'text',
      value: 'NAME',
      says: "The account's name exactly as it is, because there is no way back.",
      required: true,
    },
    wait: {
      type: 'number',
      value: 'SECONDS',
      says: `How long to wait for what is being handed over, up to ${maxWaitSeconds}; ${defaultWaitSeconds} when left out.`,
    },
  },
  async run(tools, { options, json }) {
    const { account: accountId, confirm, wait = defaultWaitSeconds } = options
    if (wait < 0 || wait > maxWaitSeconds)
      throw new UsageError(`--wait needs a number of seconds from 0 to ${maxWaitSeconds}.`)
    const { done, isLogEmpty } = await tools.withStorage(async (storage) => {
      const erasing = eraseAccount(eraseDeps(tools, storage), { accountId, confirm, actor: cliActor })
      const last = await follow(tools, erasing, { waitMs: wait * 1_000, tell: json ? null : tellerOf(tools) })
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
          ? `${accountId} is erased: ${done.erased} messages, and ${done.canceled} that waited were canceled.`
          : leftLine(accountId, done),
        ...logLines(tools, isLogEmpty),
      ].join('\n'),
      exitCode: done.isFinished ? 0 : 1,
    }
  },
})

/** Goes on to the end, or until something has been handed over for longer than it waits. */
async function follow(
  { clock }: CommandContext,
  erasing: AsyncIterable<AccountErasure>,
  { waitMs, tell }: { waitMs: number; tell: ((now: AccountErasure) => void) | null },
): Promise<AccountErasure> {
  let last: AccountErasure | null = null
  let waitingSinceMs: number | null = null
  for await (const now of erasing) {
    tell?.(now)
    last = now
    const mustWait = now.inFlight > 0 || (now.step === 'name' && !now.isFinished)
    if (!mustWait) continue
    waitingSinceMs ??= clock.monotonicMs()
    if (clock.monotonicMs() - waitingSinceMs >= waitMs) break
    await pause(clock, lookEveryMs)
  }
  if (last === null) throw new Error('An erasure ends with its last step.')
  return last
}

async function pause(clock: Clock, delayMs: number): Promise<void> {
  // The timers of the clock let the process end.
  const alive = setInterval(() => undefined, 3_600_000)
  await new Promise<void>((resolve) => void clock.schedule(delayMs, resolve))
  clearInterval(alive)
}

const leftLine = (accountId: string, { inFlight, finalBy }: AccountErasure): string => {
  const by = finalBy === null ? '' : ` They are final by ${rfc3339(finalBy)} at the latest.`
  return `${accountId} is not erased yet: ${inFlight} messages are being handed over. Nothing new is sent for it.${by} Then run it again.`
}

const says: Readonly<Record<AccountErasureStep, string>> = {
  hand_over: 'Suspended; waiting for what is being handed over.',
  close: 'Closed; canceling what waits.',
  keys: 'Revoking API keys.',
  messages: 'Erasing messages.',
  webhooks: 'Erasing webhook endpoints and what they were told.',
  devices: 'Retiring devices.',
  device_history: 'Erasing what devices were and measured.',
  idempotency_keys: 'Erasing idempotency keys.',
  opt_outs: 'Erasing opt-outs.',
  keywords: 'Erasing keywords.',
  routes: 'Erasing routes.',
  fragments: 'Erasing pieces of long messages.',
  parked_receipts: 'Erasing receipts that nobody waited for.',
  received: 'Erasing fingerprints of what was received.',
  ledger_notes: 'Erasing notes of the ledger.',
  invitations: 'Erasing invitations.',
  opening: 'Erasing what asked for the account to be opened.',
  alerts: 'Erasing alerts.',
  people: 'Erasing people who are in no other account.',
  audit_log: 'Erasing details in the audit log.',
  name: 'Erasing the name.',
}
const messagesPerLine = 10_000

/** Says each step once, and of the messages how many so far. Not part of what the command gives: on standard error. */
function tellerOf({ io }: CommandContext): (now: AccountErasure) => void {
  let said: AccountErasureStep | null = null
  let counted = 0
  return ({ step, erased }) => {
    if (step !== said) io.stderr.write(`${says[step]}\n`)
    said = step
    if (erased - counted < messagesPerLine) return
    counted = erased
    io.stderr.write(`${erased} messages are erased.\n`)
  }
}
