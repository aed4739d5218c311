import { factsOf } from './registry.ts'

/** Of reasons that a device of any kind may have. Those that explain themselves have none. */
const common: Readonly<Record<string, string>> = {
  repeated_failures:
    'Message after message fails on it. Other devices carry what they can in its place; it is tried with one message at a time, and any onesixty device set ends that. Of a phone look at credit, signal and SMS permission, and whether Android asks on its screen to allow many messages.',
  draining: 'It was told to take nothing new, and ends what it holds. Resume it to let it send again.',
  rate_limited:
    'It has sent all that its pace allows; the rest goes when the window ends. onesixty device set changes the pace.',
  repeated_unknown:
    'Several messages in a row got no clear answer. It is tried again carefully; look at the device itself.',
}

const remedyOf = (table: Readonly<Record<string, string>> | undefined, reason: string): string | undefined =>
  table !== undefined && Object.hasOwn(table, reason) ? table[reason] : undefined

/**
 * What to do, some sentences for each reason that has a remedy, by the kind of the device; the list of reasons is open. `byTest` when the test of
 * the device shows the rest.
 */
export const remediesOf = (kind: string, reasons: readonly string[], { byTest = false } = {}): string[] => {
  const facts = factsOf(kind)
  return reasons.flatMap((reason) => {
    const remedy = remedyOf(facts?.remedies, reason) ?? remedyOf(common, reason)
    const hint = byTest ? undefined : remedyOf(facts?.testHints, reason)
    return remedy === undefined ? [] : [`${reason}: ${remedy}${hint === undefined ? '' : ` ${hint}`}`]
  })
}

/** Every reason of a kind with a remedy, for the pages that explain them. */
export const explainedReasons = (kind: string): readonly string[] => [
  ...Object.keys(common),
  ...Object.keys(factsOf(kind)?.remedies ?? {}),
]
