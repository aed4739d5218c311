import { expect } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { readUsage } from '../../src/devices/plans/read-plans.ts'
import type { SimPlan } from '../../src/devices/plans/sim-plan.ts'
import { judgeLate, judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { type Claimed, claimMessages, type ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { Ids } from '../../src/runtime/ids.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { sendRequest } from '../send-request.ts'

/** A count as one would do it by hand: each attempt is looked at, and nothing is remembered but attempts. */
interface Counted {
  claimed: Claimed
  /** The plans that count it. */
  sims: readonly number[]
  day: number
  state: 'open' | 'unknown' | 'refused' | 'accepted'
  partsTaken: number
}

const dayMs = 86_400_000
/** In UTC; months of contracts begin on the first. */
const dayOf = (atMs: number): number => Math.floor(atMs / dayMs)
const monthBegin = (day: number): number => {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs
}

export type Limits = Pick<SimPlan, 'partsPerDay' | 'partsPerMonth' | 'numbersPerMonth'>

interface Around {
  db: Db
  writers: readonly Pick<Writer, 'write'>[]
  clock: { now(): number }
  ids: Ids
}

/** One account with a device whose SIMs have plans, and what is known of it without looking into its plans. */
export async function openPlanned(around: Around, limits: readonly Limits[]) {
  const { db, ids, clock } = around
  const [accountId, deviceId] = [ids('acc'), ids('dev')]
  const plans = limits.map((each, i): SimPlan => ({
    deviceId,
    sim: i + 1,
    monthStarts: 1,
    zone: 'UTC',
    ...each,
  }))
  const counted: Counted[] = []
  let turn = 0
  const write: Writer['write'] = (unit) =>
    (around.writers[turn++ % around.writers.length] as Writer).write(unit)
  await write(async (tx) => {
    const at = { created_at: clock.now(), updated_at: clock.now() }
    await insertRows(tx, 'accounts', [{ id: accountId, name: 'A', state: 'active', ...at }])
    await openWallets(
      tx,
      { ids, nowMs: clock.now() },
      { accountId, freeSms: 10_000, playSms: 0, lowThreshold: 0, actor: 'test' },
    )
    const device = {
      id: deviceId,
      account_id: accountId,
      mode: 'live',
      kind: 'android',
      name: 'P',
      state: 'enabled',
    } as const
    await insertRows(tx, 'devices', [{ ...device, senders: '[]', settings: '{}', ...at }])
    await insertRows(tx, 'phone_tokens', [
      { id: `tok_${deviceId}`, account_id: accountId, mode: 'live', hash: deviceId, created_at: 1 },
    ])
    const hashes = { token_hash: deviceId, hook_hash: deviceId, signing_key: '' }
    await insertRows(tx, 'phones', [
      {
        id: `phn_${deviceId}`,
        device_id: deviceId,
        token_id: `tok_${deviceId}`,
        ...hashes,
        name: '',
        sims: '[]',
        uses_push: 0,
        ...at,
      },
    ])
  })

  const partsOf = ({ state, partsTaken, claimed }: Counted): number =>
    state === 'refused' ? partsTaken : claimed.parts
  const usedOf = (sim: number) => {
    const day = dayOf(clock.now())
    const ofSim = counted.filter((each) => each.sims.includes(sim) && partsOf(each) > 0)
    const ofMonth = ofSim.filter((each) => each.day >= monthBegin(day))
    const sum = (rows: readonly Counted[]) => rows.reduce((total, each) => total + partsOf(each), 0)
    return {
      partsToday: sum(ofMonth.filter((each) => each.day === day)),
      partsThisMonth: sum(ofMonth),
      numbersThisMonth: new Set(ofMonth.map(({ claimed }) => claimed.to)).size,
      numbers: new Set(ofMonth.map(({ claimed }) => claimed.to)),
    }
  }
  const fits = (sims: readonly number[], { to, parts }: { to: string; parts: number }): boolean =>
    sims.every((sim) => {
      const limit = limits[sim - 1] as Limits
      const used = usedOf(sim)
      return (
        used.partsToday + parts <= (limit.partsPerDay ?? Infinity) &&
        used.partsThisMonth + parts <= (limit.partsPerMonth ?? Infinity) &&
        (used.numbers.has(to) || used.numbersThisMonth < (limit.numbersPerMonth ?? Infinity))
      )
    })

  async function claim(
    quota: number,
    choice: readonly (number | null)[],
    { isKilled = false } = {},
  ): Promise<Claimed[]> {
    const nowMs = clock.now()
    const request: ClaimRequest = {
      accountId, mode: 'live', routeKey: routeKeyOf({ mode: 'live', sender: null }), deviceId, quota, partsOver: 0, partsUpTo: 10,
      plans: { plans, key: 'ab'.repeat(32) },
      phone: { phoneId: `phn_${deviceId}`, sims: choice.map((sim) => ({ sim, parts: 1_000 })) },
    } // prettier-ignore
    const claiming = write(async (tx) => {
      const made = await claimMessages(
        tx,
        ids,
        { requests: [request], nowMs, dueMs: nowMs, fence: 1 },
        changeOnDemand(tx, nowMs),
      )
      if (isKilled) throw new Error('killed')
      return made
    })
    if (isKilled) {
      await claiming.catch(() => undefined)
      return []
    }
    const { claimed } = await claiming
    for (const each of claimed) {
      const sims =
        each.sim === null || each.sim === undefined
          ? plans.map(({ sim }) => sim)
          : plans.flatMap(({ sim }) => (sim === each.sim ? [sim] : []))
      if (around.writers.length === 1) expect(fits(sims, each), 'no plan is passed').toBe(true)
      counted.push({ claimed: each, sims, day: dayOf(nowMs), state: 'open', partsTaken: 0 })
    }
    return claimed
  }

  return {
    counted,
    claim,
    used: usedOf,
    async send(to: string, parts: number): Promise<void> {
      const request = sendRequest(
        { ids, nowMs: clock.now() },
        { accountId, to: [to], parts, expiresAt: clock.now() + 300 * dayMs },
      )
      await write((tx) => sendMessages(tx, [request], takeChange(tx, clock.now())))
    },
    /** Ends an attempt that is open, or says later what became of one. */
    async end(of: Counted, outcome: Outcome): Promise<void> {
      const nowMs = clock.now()
      const judge = of.state === 'open' ? judgeOutcome : judgeLate
      await write((tx) => settleOutcomes(tx, [judge(of.claimed, outcome, nowMs)], takeChange(tx, nowMs)))
      const order = ['open', 'unknown', 'refused', 'accepted'] as const
      const said =
        outcome.kind === 'accepted' ? 'accepted' : outcome.kind === 'unknown' ? 'unknown' : 'refused'
      const apart = order.indexOf(said) - order.indexOf(of.state)
      if (apart === 0 && said !== 'unknown') return
      if (apart > 0) of.state = said
      if ('partsTaken' in outcome) of.partsTaken = Math.max(of.partsTaken, outcome.partsTaken)
    },
    /** Everything that the plans say is what counting by hand gives. */
    async compare(): Promise<void> {
      for (const usage of await readUsage(db, plans, clock.now())) {
        const { numbers: _, ...byHand } = usedOf(usage.sim)
        expect(usage).toMatchObject(byHand)
      }
    },
    /** Nothing waits that could go over one of these SIMs by its plans, after a claim that read all that waited. */
    async nothingFits(choice: readonly (number | null)[], read: number): Promise<void> {
      const rows = await db
        .selectFrom('queue as q')
        .innerJoin('messages as m', 'm.id', 'q.message_id')
        .select(['m.recipient as to', 'm.parts'])
        .where('q.account_id', '=', accountId)
        .where('q.due_at', '<=', clock.now())
        .execute()
      if (rows.length > read) return
      const over = choice.map((sim) =>
        sim === null
          ? plans.map((plan) => plan.sim)
          : plans.flatMap((plan) => (plan.sim === sim ? [sim] : [])),
      )
      expect(rows.filter((row) => over.some((sims) => fits(sims, row)))).toEqual([])
    },
  }
}
