import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { referenceOfPart } from '../../src/sms/part-reference.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { isPostgres } from '../test-database.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

const houses: UnitHouse[] = []
afterAll(() => Promise.all(houses.map((house) => house.close())))

/**
 * What may happen after a hand-over, in any order. `again` is the dispatcher, which takes whatever waits; the answer is stored twice when nobody
 * answered for the first commit.
 */
const happenings = ['end', 'late', 'late', 'again', 'first receipt', 'second receipt', 'first receipt', 'again', 'second receipt'] as const // prettier-ignore
type Happening = (typeof happenings)[number]

interface Plan {
  parts: 1 | 2
  resendOnce: boolean
  hasReferences: boolean
  /** The answer is given up by a process that was started anew, and not by the link. */
  isRestarted: boolean
  order: readonly Happening[]
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  parts: fc.constantFrom(1 as const, 2 as const),
  resendOnce: fc.boolean(),
  hasReferences: fc.boolean(),
  isRestarted: fc.boolean(),
  order: fc.shuffledSubarray([...happenings], { minLength: 1 }),
})

/** One message whose answer is lost, with all that is known of it from outside. */
class Story {
  readonly heard = new Set<number>()
  isEnded = false
  isAnswered = false
  tries = 1
  readonly #house: UnitHouse
  readonly #plan: Plan
  readonly #first: Claimed

  constructor(house: UnitHouse, plan: Plan, first: Claimed) {
    this.#house = house
    this.#plan = plan
    this.#first = first
  }

  /** The network has taken every part, and we were told. */
  get isYes(): boolean {
    return this.isEnded && (this.isAnswered || this.heard.size === this.#plan.parts)
  }

  async happens(what: Happening): Promise<void> {
    if (what === 'end') return this.#end()
    if (what === 'late') return this.#late()
    if (what === 'again') return this.#again()
    const part = what === 'first receipt' ? 0 : 1
    if (part < this.#plan.parts) await this.#receive(part)
  }

  async #end(): Promise<void> {
    const { parts, isRestarted } = this.#plan
    const unknownParts = { parts: Array.from({ length: parts }, (_, part) => part), wireParts: parts }
    const unknown = { kind: 'unknown', networkIds: [], partsTaken: 0, detail: 'no answer' } as const
    await this.#house.end(this.#first, isRestarted ? unknown : { ...unknown, unknownParts })
    this.isEnded = true
  }

  async #late(): Promise<void> {
    if (!this.isEnded) return
    const networkIds = Array.from({ length: this.#plan.parts }, (_, part) => `n${part}`)
    const yes: Outcome = { kind: 'accepted', networkIds, receiptExpected: true }
    const { store, clock } = this.#house
    await store.writer.write((tx) =>
      settleOutcomes(tx, [judgeLate(this.#first, yes, clock.now())], takeChange(tx, clock.now())),
    )
    this.isAnswered = true
  }

  async #again(): Promise<void> {
    const claimed = await this.#house.claim().catch(() => null)
    if (claimed === null) return
    this.tries += 1
    expect({ ...this.#plan, isEnded: this.isEnded, isYes: this.isYes }).toMatchObject({
      resendOnce: true,
      isEnded: true,
      isYes: false,
    })
  }

  async #receive(part: number): Promise<void> {
    const { store, clock } = this.#house
    const echo = this.#plan.hasReferences ? { reference: referenceOfPart(this.#first.attemptId, part) } : {}
    const word = {
      networkId: `n${part}`,
      numbers: ['4915112345678'],
      result: 'delivered',
      code: null,
      networkCode: null,
      ...echo,
    } as const
    await store.writer.write((tx) =>
      settleReceipts(tx, [{ ...word, deviceId: 'dev_s', atMs: clock.now() }], takeChange(tx, clock.now())),
    )
    this.heard.add(part)
  }
}

test('in no order of receipts, answers, time-outs and restarts is a message sent again that was taken, or charged twice', async () => {
  const house = await openUnitHouse()
  houses.push(house)
  await fc.assert(
    fc
      .asyncProperty(anyPlan, async (plan) => {
        const { parts, resendOnce } = plan
        // Of more units than a millisecond has numbers the last would be ahead of a clock that stands still.
        house.clock.jumpWallClock(1)
        await house.send({ parts, onUnknown: resendOnce ? 'resend_once' : 'stop' })
        const story = new Story(house, plan, await house.claim())
        for (const what of plan.order) await story.happens(what)

        const message = await house.message()
        expect(story.tries).toBeLessThanOrEqual(resendOnce ? 2 : 1)
        expect([0, parts]).toContain(message.charged)
        if (story.isYes && story.tries === 1) {
          expect(message.status).toBe(story.heard.size === parts ? 'delivered' : 'sent')
          expect(message.charged).toBe(resendOnce ? parts : 0)
          expect(message.cost_state).toBe(resendOnce ? 'charged' : 'released')
        }
        if (message.status === 'sent' && message.finalized_at === null)
          expect(await openReceipts(house), 'somebody ends the wait').toBeGreaterThan(0)
        await house.sums()
      })
      .afterEach(() => removeAll(house)),
    { numRuns: isPostgres ? 60 : 500 },
  )
}, 60_000)

/** What the closer of receipts finds. */
const openReceipts = async ({ store }: UnitHouse): Promise<number> => {
  const rows = await store.db
    .selectFrom('receipts_expected')
    .select('network_id')
    .where('closed_at', 'is', null)
    .execute()
  return rows.length
}

/** The messages, and the money that they hold; the account stays. */
async function removeAll({ store }: UnitHouse): Promise<void> {
  const tables = ['receipts_expected', 'parked_receipts', 'queue', 'queue_totals', 'attempts', 'messages', 'sends', 'usage_days', 'traffic', 'traffic_times'] as const // prettier-ignore
  await store.writer.write(async (tx) => {
    for (const table of tables) await tx.deleteFrom(table).execute()
    await tx.updateTable('wallets').set({ reserved: 0, used: 0 }).execute()
  })
}
