import type { Random } from '../seeded-random.ts'

/** Which submits a rule is for: all that it names must fit. */
export interface Match {
  /** How the destination begins. */
  destination?: string
  /** The source, whole. */
  source?: string
  /** Of those that fit otherwise, this share (0 to 1), drawn by the seed. */
  share?: number
  /** The rule ends after so many. */
  times?: number
}

interface Subject {
  source: string
  destination: string
}

export interface RuleBook {
  /** The first rule that fits, which is used up a little by that. */
  first<Rule extends Match>(rules: readonly Rule[], subject: Subject): Rule | null
}

export function createRuleBook(random: Random): RuleBook {
  const used = new WeakMap<Match, number>()
  const fits = (rule: Match, { source, destination }: Subject): boolean =>
    destination.startsWith(rule.destination ?? '') &&
    (rule.source ?? source) === source &&
    (used.get(rule) ?? 0) < (rule.times ?? Infinity) &&
    (rule.share === undefined || random() < rule.share)
  return {
    first(rules, subject) {
      const rule = rules.find((each) => fits(each, subject)) ?? null
      if (rule?.times !== undefined) used.set(rule, (used.get(rule) ?? 0) + 1)
      return rule
    },
  }
}

/** Lets `perSecond` through, and `burst` at once after a rest; null lets everything through. */
export function createThrottle(): (perSecond: number | null, burst: number | null) => boolean {
  let tokens = 0
  let lastMs = -Infinity
  return (perSecond, burst) => {
    if (perSecond === null) return true
    const nowMs = performance.now()
    tokens = Math.min(burst ?? perSecond, tokens + ((nowMs - lastMs) * perSecond) / 1_000)
    lastMs = nowMs
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}
