import { fillOwnCommand, ownCommand } from '../process/own-command.ts'
import { factsOf } from './registry.ts'

/** Remedies for reasons that any device may have. Reasons that are self-explanatory have none. */
const common: Readonly<Record<string, string>> = {
  repeated_failures:
    'Messages repeatedly fail on this device. Other devices carry what they can instead; this one is probed with one message at a time until several succeed in a row. Any {onesixty} device set ends this immediately. On a phone, check credit, signal and SMS permission, and whether Android asks on its screen to allow many messages.',
  draining: 'The device accepts no new messages and finishes those in flight. Resume it to send again.',
  rate_limited:
    'The device has reached its rate limit; the rest is sent when the window ends. Change the limit with {onesixty} device set.',
  plan_reached:
    'The SIM plan is reached: other SIMs and devices carry the messages, or they wait for the next day or month of the contract. {onesixty} device plan shows and changes the limits.',
  plan_numbers_reached:
    'The SIM has sent to as many different numbers as its plan includes this month. It still sends to these; other SIMs and devices carry the rest, or it waits. {onesixty} device plan shows and changes the limit.',
  repeated_unknown:
    'Several messages in a row got no clear response. The device is retried with one message at a time; check the device itself.',
}

const remedyOf = (table: Readonly<Record<string, string>> | undefined, reason: string): string | undefined =>
  table !== undefined && Object.hasOwn(table, reason) ? table[reason] : undefined

/**
 * Returns the remedy for each reason that has one, by the kind of the device; the list of reasons is open.
 * With `byTest`, the hint to the device test is omitted, because the test shows the rest. `word` goes before commands.
 */
export const remediesOf = (
  kind: string,
  reasons: readonly string[],
  { byTest = false, word = ownCommand() } = {},
): string[] => {
  const facts = factsOf(kind)
  return reasons.flatMap((reason) => {
    const remedy = remedyOf(facts?.remedies, reason) ?? remedyOf(common, reason)
    const hint = byTest ? undefined : remedyOf(facts?.testHints, reason)
    const whole = `${reason}: ${remedy}${hint === undefined ? '' : ` ${hint}`}`
    return remedy === undefined ? [] : [fillOwnCommand(whole, word)]
  })
}

/** Returns every reason of a kind with a remedy, for the pages that explain them. */
export const explainedReasons = (kind: string): readonly string[] => [
  ...Object.keys(common),
  ...Object.keys(factsOf(kind)?.remedies ?? {}),
]
