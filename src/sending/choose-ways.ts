import { usualStages, viaWay, type Way } from '../devices/routes/way.ts'
import type { WrittenWay } from '../devices/routes/ways-store.ts'
import type { Caller } from '../accounts/keys/authenticator.ts'
import type { Routing } from '../dispatch/devices/routing.ts'
import type { RuleChoice } from '../dispatch/routes/choose-rule.ts'
import type { SendRecipient } from '../messages/send/send-request.ts'
import type { Category, Encoding, Fallback } from '../storage/tables/schema.ts'
import type { SendPorts } from './send-ports.ts'
import type { Recipient } from './send-recipients.ts'

/** What decides which rule matches, in addition to the recipient. */
interface RuledSend {
  from: string | null
  category: Category
  encoding: Encoding
  parts: number
  /** The device that the sender chose. */
  via: string | null
}

/** What rules say of a message, and the device that its sender chose instead. */
export interface ChosenWay extends RuleChoice {
  via: string | null
}

/** Finds what rules say of each recipient. Rules that refuse messages and the numbers of devices hold for a chosen device, too. */
export const chooseWays = (
  { choose }: Pick<SendPorts['routes'], 'choose'>,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  recipients: readonly Recipient[],
  { via, ...send }: RuledSend,
): ChosenWay[] =>
  recipients.map(({ to, country }) => ({ ...choose({ ...send, accountId, mode, to, country }), via }))

/** What a way can name, regardless of weights; undefined for the usual way. */
export const namedBy = ({ stages, not, via }: ChosenWay): Way | undefined => {
  if (via !== null) return viaWay(via)
  return stages === null && not.length === 0 ? undefined : { stages: stages ?? usualStages, not }
}

/** Returns the routing of a send whose messages go these ways: what every one of them can do. */
export function routingOver(
  { forAccount }: SendPorts['routing'],
  choices: readonly ChosenWay[],
): SendPorts['routing'] {
  // Recipients of one rule share one array of stages.
  const unlike = choices.filter((choice, i) => i === 0 || !isLike(choice, choices[i - 1] as ChosenWay))
  const ways = new Map(unlike.map((choice) => [textOf(choice), namedBy(choice)]))
  if (ways.size <= 1) {
    const [way] = ways.values()
    return way === undefined
      ? { forAccount }
      : { forAccount: (accountId, mode, sender, forced, which) => forAccount(accountId, mode, sender, forced, which, way) } // prettier-ignore
  }
  return {
    forAccount: (accountId, mode, sender, forced, which) =>
      [...ways.values()]
        .map((way) => forAccount(accountId, mode, sender, forced, which, way))
        .reduce(inCommon),
  }
}

const isLike = (a: ChosenWay, b: ChosenWay): boolean =>
  a.stages === b.stages && a.via === b.via && a.not.length + b.not.length === 0

const textOf = ({ stages, not, via }: ChosenWay): string => JSON.stringify([via, stages, not])

/** Of two ways of one send; their rates have no sum. */
const inCommon = (a: Routing, b: Routing): Routing => ({
  enabled: a.enabled && b.enabled,
  online: a.online && b.online,
  simulated: a.simulated || b.simulated,
  phonesOnly: a.phonesOnly && b.phonesOnly,
  maxParts: Math.min(a.maxParts, b.maxParts),
  shared: a.shared || b.shared,
  paces: null,
  pickUpSeconds: Math.max(a.pickUpSeconds, b.pickUpSeconds),
})

/** Returns the recipients with their ways, which the IDs of their messages draw, and each of these ways once, to be stored. */
export function drawWays(
  { resolve }: Pick<SendPorts['routes'], 'resolve'>,
  accountId: string,
  recipients: readonly Pick<Recipient, 'to' | 'country'>[],
  { choices, messageIds }: { choices: readonly ChosenWay[]; messageIds: readonly string[] },
): { recipients: SendRecipient[]; ways?: readonly WrittenWay[] } {
  const ways = new Map<string, WrittenWay>()
  const drawn = recipients.map(({ to, country }, i): SendRecipient => {
    const choice = choices[i] as ChosenWay
    if (choice.via !== null) return { to, country, way: choice.via }
    const { name, written } = resolve(choice, accountId, messageIds[i] as string)
    if (written !== null) ways.set(written.id, written)
    return name === null ? { to, country } : { to, country, way: name }
  })
  return ways.size === 0 ? { recipients: drawn } : { recipients: drawn, ways: [...ways.values()] }
}

/**
 * Returns the fallback of an account whose own devices are free: a rule of its own that names shared devices lets them carry
 * its messages for the balance. A rule of the operator does not spend the balance of an account.
 */
export const fallbackOf = (choices: readonly ChosenWay[], reachesShared: () => boolean): Fallback | null =>
  choices.some(({ rule }) => rule !== null && rule.accountId !== null) && reachesShared() ? 'shared' : null
