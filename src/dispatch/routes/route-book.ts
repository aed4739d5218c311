import { readAccountPlans } from '../../accounts/core/account-plan.ts'
import type { Matched, Rule } from '../../devices/routes/rule.ts'
import { readRules } from '../../devices/routes/rule-store.ts'
import { asListed, outcomesOf } from '../../devices/routes/resolve-way.ts'
import { usualWay, type Way, wayNamed } from '../../devices/routes/way.ts'
import { readWays } from '../../devices/routes/ways-store.ts'
import { readOffSince } from '../../devices/status/off-since.ts'
import type { WaitingMessage } from '../../messages/queue/apply-ways.ts'
import type { Log } from '../../process/log.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { RuleStageJson } from '../../storage/tables/route-tables.ts'
import type { Route } from './candidate.ts'
import { chooseRule, type LimitedDevice, type RuleChoice } from './choose-rule.ts'
import { type DrawnWay, DrawnWays } from './drawn-ways.ts'
import { usualNow, type WayNow } from './walk-way.ts'

/** The way of one message; without a name and a text where it is the usual one. */
type ResolvedWay = DrawnWay | { name: null; way: Way; written: null }

const usual: ResolvedWay = { name: null, way: usualWay, written: null }

/** A rule whose stages are drawn gives as many routes to claims as it has outcomes: beyond these it is taken as listed. */
const maxWaysOfAccount = 64
/** Accounts that are remembered with the ways that they use. */
const maxAccounts = 10_000
/** Ways that are kept in memory; others are read again. */
const maxWays = 20_000
/** Looks for unknown ways in the database are not made more often. */
const unknownForMs = 60_000

/**
 * The rules, and the ways that they came out to, in memory: a send asks for its way, and a claim for what is open on one.
 * Rules follow the tables with the devices (`reload`); ways are read when they are first met.
 */
export class RouteBook {
  readonly #deps: { read: Db; clock: Clock; log: Log }
  #rules: readonly Rule[] = []
  #limited: readonly LimitedDevice[] = []
  /** Of accounts that have one; none are read while no rule asks for them. */
  #plans: ReadonlyMap<string, string> = new Map()
  readonly #ways = new BoundedMap<Way>(maxWays)
  readonly #drawn = new DrawnWays()
  readonly #unknownUntilMs = new BoundedMap<number>(maxWays)
  #used = new BoundedMap<Set<string>>(maxAccounts)
  /** Accounts of which some rules are taken as listed, and the stages of these rules, so that their ways are made once. */
  #crowded = new BoundedMap<true>(maxAccounts)
  readonly #listed = new WeakMap<readonly RuleStageJson[], readonly RuleStageJson[]>()
  #offSince: ReadonlyMap<string, number> = new Map()
  #needsOffSince = false

  constructor(deps: { read: Db; clock: Clock; log: Log }) {
    this.#deps = deps
  }

  /** Reads the rules, the plans that they ask for, and the numbers that devices send to. */
  async reload(): Promise<void> {
    const { read } = this.#deps
    const [rules, devices] = await Promise.all([
      readRules(read, 'all'),
      read
        .selectFrom('devices')
        .select(['id', 'account_id', 'mode', 'destinations'])
        .where('destinations', 'is not', null)
        .where('state', '!=', 'retired')
        .execute(),
    ])
    const asksForPlans = rules.some(({ conditions }) => conditions.plan !== undefined)
    this.#plans = asksForPlans ? await readAccountPlans(read) : new Map()
    this.#rules = rules
    this.#limited = devices.flatMap(({ id, account_id: accountId, mode, destinations }) =>
      destinations === null ? [] : [{ id, accountId, mode, destinations: readJson(destinations) }],
    )
    this.#used = new BoundedMap(maxAccounts)
    this.#crowded = new BoundedMap(maxAccounts)
  }

  /** Finds what rules say of a message. */
  choose = (message: Omit<Matched, 'plan'>): RuleChoice => {
    const plan = this.#plans.get(message.accountId)
    return chooseRule(this.#rules, this.#limited, plan === undefined ? message : { ...message, plan })
  }

  /** Returns the way of a message, with the weights drawn for its ID. */
  resolve = ({ stages, not }: RuleChoice, accountId: string, messageId: string): ResolvedWay => {
    if (stages === null && not.length === 0) return usual
    const used = this.#used.get(accountId) ?? new Set()
    this.#used.set(accountId, used)
    let drawn = this.#drawn.of(stages, messageId, not)
    const isOneTooMany = !used.has(drawn.name) && used.size >= maxWaysOfAccount
    if (stages !== null && isOneTooMany && outcomesOf(stages) > 1)
      drawn = this.#drawn.of(this.#listedFor(accountId, stages), messageId, not)
    used.add(drawn.name)
    this.#know(drawn.name, drawn.way)
    return drawn
  }

  /** Says once of an account that it has no ways left. */
  #listedFor(accountId: string, stages: readonly RuleStageJson[]): readonly RuleStageJson[] {
    if (this.#crowded.get(accountId) === undefined)
      this.#deps.log.warn(
        { account_id: accountId, ways: maxWaysOfAccount },
        'an account uses too many ways at once: weights of further rules are not drawn, and their devices are taken as listed',
      )
    this.#crowded.set(accountId, true)
    const listed = this.#listed.get(stages) ?? asListed(stages)
    this.#listed.set(stages, listed)
    return listed
  }

  /** Returns the way of a message that waits, by the rules of now; null if a rule refuses it. */
  resolveWaiting = (message: WaitingMessage): ResolvedWay | null => {
    const { account_id: accountId, message_id, recipient: to, sender: from, ...rest } = message
    const choice = this.choose({ ...rest, accountId, to, from })
    return choice.isRefused ? null : this.resolve(choice, accountId, message_id)
  }

  /** Returns the way of a route as it is now; null while this node does not know it: `learn` reads it. */
  wayOf = ({ way: name }: Pick<Route, 'way'>): WayNow | null => {
    if (name === undefined) return usualNow
    const way = wayNamed(name, this.#ways)
    return way === null ? null : this.nowOf(way)
  }

  /** Runs `then` at once, or as soon as the way of the route is read; not at all if it is not stored. */
  whenKnown(route: Pick<Route, 'way'>, then: () => void): void {
    if (this.wayOf(route) !== null) then()
    else
      void this.learn([route])
        .then((isKnown) => isKnown && then())
        .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'failed to read a way; the next poll retries')) // prettier-ignore
  }

  /** Returns a way with what decides now which of its stages are open. */
  nowOf(way: Way): WayNow {
    const { clock } = this.#deps
    return { way, nowMs: clock.now(), offSinceMs: (deviceId) => this.#offSince.get(deviceId) ?? null }
  }

  /** Reads the ways of these routes that this node does not know. Returns whether there were some. */
  async learn(routes: readonly Pick<Route, 'way'>[]): Promise<boolean> {
    const nowMs = this.#deps.clock.monotonicMs()
    const unknown = new Set(
      routes.flatMap(
        ({ way }) =>
        way === undefined || way.startsWith('dev_') || this.#ways.has(way) || (this.#unknownUntilMs.get(way) ?? 0) > nowMs ? [] : [way], // prettier-ignore
      ),
    )
    if (unknown.size === 0) return false
    const found = await readWays(this.#deps.read, [...unknown])
    for (const [id, way] of found) this.#know(id, way)
    for (const id of unknown)
      if (!found.has(id)) {
        this.#unknownUntilMs.set(id, nowMs + unknownForMs)
        this.#deps.log.error({ way: id }, 'the way of queued messages is not stored: they wait until it is')
      }
    return found.size > 0
  }

  /** Reads since when devices have not worked, if a way asks for it. */
  async refresh(): Promise<void> {
    if (this.#needsOffSince) this.#offSince = await readOffSince(this.#deps.read)
  }

  #know(id: string, way: Way): void {
    this.#needsOffSince ||= way.stages.some(({ offlineSeconds }) => (offlineSeconds ?? 0) > 0)
    this.#ways.set(id, way)
  }
}
