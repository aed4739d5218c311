import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancelWaiting } from '../../src/messages/queue/finish-queued.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import { analyse, statementsOf, stepsOf } from '../plans.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

let house: MessagesFixture
beforeEach(async () => {
  house = await openMessagesFixture()
  await house.addAccount('acc_a', 1_000)
  await house.addAccount('acc_b', 1_000)
})
afterEach(() => house.close())

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${10_000_000 + i}`)
const hold = () =>
  house.storage.writer.write((tx) => tx.updateTable('queue').set({ restore_hold: 1 }).execute())

type Scope = Parameters<typeof cancelWaiting>[2]
const endPage = (scope: Scope, most: number) =>
  house.storage.writer.write(async (tx) =>
    cancelWaiting(
      tx,
      await takeChange(tx, house.clock.now()),
      scope,
      { trigger: 'canceled', code: 'account_closed' },
      most,
    ),
  )
const pagesOf = async (scope: Scope, most: number): Promise<number[]> => {
  const pages: number[] = []
  do pages.push((await endPage(scope, most)).length)
  while (pages.at(-1) !== 0)
  return pages
}

test.for<Scope>([{ accountId: 'acc_a' }, 'restore_hold'])(
  'a page of what is ended is as long as it may be on one route, and no longer over many: %o',
  async (scope) => {
    await house.send({ to: numbers(100) })
    await hold()
    expect(await pagesOf(scope, 40)).toEqual([40, 40, 20, 0])
    for (let i = 0; i < 30; i++) await house.send({ from: `Sender${i}`, to: numbers(3) })
    await hold()
    const pages = await pagesOf(scope, 40)
    expect(Math.max(...pages)).toBeLessThanOrEqual(40)
    expect(pages.reduce((sum, page) => sum + page)).toBe(90)
    expect(new Set(await house.statuses())).toEqual(new Set(['canceled']))
  },
)

test.for(['fresh', 'analysed'])(
  'what waits for others is neither ended nor looked through, on %s tables',
  async (state) => {
    await house.send({ accountId: 'acc_b', to: numbers(300) })
    await house.send({ accountId: 'acc_a', to: numbers(3) })
    if (state === 'analysed') await house.storage.writer.write(analyse)
    const said = await house.storage.writer.write((tx) =>
      statementsOf(tx, async () => {
        const unit = await takeChange(tx, house.clock.now())
        const reason = { trigger: 'canceled', code: 'account_closed' } as const
        expect(await cancelWaiting(tx, unit, { accountId: 'acc_a' }, reason, 10)).toHaveLength(3)
      }),
    )
    const reads = said.filter(({ sql }) => /^\s*select\b.*\bqueue\b/is.test(sql))
    expect(reads.length).toBeGreaterThan(1)
    const steps = await stepsOf(house.dataFolder, ...reads)
    expect(steps.filter((step) => /^SCAN (q|queue)\b/.test(step))).toEqual([])
  },
)
