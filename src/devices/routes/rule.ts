import type { Destinations, RuleConditions, RuleStageJson } from '../../storage/tables/route-tables.ts'
import type { Category, Encoding, Mode } from '../../storage/tables/schema.ts'

/** A rule of a route: which messages it matches, and their way. The first rule that matches a message decides. */
export interface Rule {
  id: string
  /** Whose messages it matches; null: all, after the rules of their account. */
  accountId: string | null
  name: string
  conditions: RuleConditions
  /** Null: messages are refused. */
  stages: readonly RuleStageJson[] | null
}

/** A message as rules see it. */
export interface Matched {
  accountId: string
  /** Of its account; only a `RouteBook` knows it, and only while a rule asks for it. */
  plan?: string | undefined
  mode: Mode
  /** E.164. */
  to: string
  country: string | null
  from: string | null
  category: Category
  encoding: Encoding
  parts: number
}

/** Test messages go to simulators, which rules for real devices do not name. */
const liveOnly: readonly Mode[] = ['live']

/** Returns whether a rule matches a message. */
export function matches({ accountId, conditions: match }: Rule, message: Matched): boolean {
  const fits = <T>(wanted: readonly T[] | undefined, value: T): boolean => wanted?.includes(value) !== false
  return (
    (accountId === null || accountId === message.accountId) &&
    fits(match.account, message.accountId) &&
    fits(match.plan, message.plan ?? '') &&
    fits(match.mode ?? liveOnly, message.mode) &&
    fits(match.category, message.category) &&
    fits(match.encoding, message.encoding) &&
    fits(match.country, message.country ?? '') &&
    fits(match.from, message.from ?? '') &&
    message.parts >= (match.minParts ?? 0) &&
    message.parts <= (match.maxParts ?? Number.POSITIVE_INFINITY) &&
    (match.to === undefined || hasPrefix(match.to, message.to))
  )
}

/** Returns whether a number in E.164 begins with one of these digits. */
const hasPrefix = (prefixes: readonly string[], e164: string): boolean =>
  prefixes.some((prefix) => e164.startsWith(prefix, 1))

/** Returns whether a device sends to this number. */
export const sendsTo = ({ onlyTo = [], notTo = [] }: Destinations, e164: string): boolean =>
  (onlyTo.length === 0 || hasPrefix(onlyTo, e164)) && !hasPrefix(notTo, e164)
