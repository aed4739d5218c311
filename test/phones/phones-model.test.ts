import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NearStore, openNearStore } from '../near-store.ts'
import type { Fate } from './handset.ts'
import { openPhoneWorld, type PhoneWorld } from './phone-world.ts'
import { sizeOf } from '../proof-sizes.ts'

/** About 10 s in `npm test`. */
const sequences = sizeOf('PHONE_SEQUENCES')

let store: NearStore
beforeAll(async () => {
  store = await openNearStore(0)
})
afterAll(() => store.close())

/** Something happens in the world; its name is what a failure shows. */
interface Step {
  name: string
  run(world: PhoneWorld): unknown
}
const step = <T>(
  name: string,
  shape: fc.Arbitrary<T>,
  run: (world: PhoneWorld, drawn: T) => unknown,
): fc.Arbitrary<Step> =>
  shape.map((drawn) => ({ name: `${name} ${JSON.stringify(drawn)}`, run: (world) => run(world, drawn) }))

const phone = fc.constantFrom(0, 0, 0, 1, 1, 2)
const seldom = fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 4)
const fates: Fate[] = ['goes', 'goes', 'goes', 'silent', 'radio_off', 'bad_report', 'bad_part']
const hourMs = 3_600_000

const send = step(
  'send',
  fc.tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
    fc.constantFrom(60_000, hourMs, 24 * hourMs, 24 * hourMs),
    fc.boolean(),
  ),
  (world, drawn) => world.send(...drawn),
)
const pull = step('pull', fc.tuple(phone, seldom), (world, [i, isLost]) =>
  world.pull(world.handsets[i]!, isLost),
)
const radio = step(
  'radio',
  fc.tuple(phone, fc.nat(9), fc.constantFrom(...fates)),
  (world, [i, which, fate]) => world.handsets[i]!.send(which, fate, world.clock.now()),
)
const hear = step(
  'hear',
  fc.tuple(phone, fc.nat(9), fc.constantFrom('sent' as const, 'delivered' as const)),
  (world, [i, which, state]) => world.handsets[i]!.hear(which, state),
)
/** A phone fetches, sends the first of what it has, and the network answers; its words are told later, or at once where it goes wrong. */
const work = step(
  'work',
  fc.tuple(phone, fc.nat(2), fc.constantFrom(...fates)),
  async (world, [i, answers, fate]) => {
    const handset = world.handsets[i]!
    await world.pull(handset, false)
    handset.send(0, fate, world.clock.now())
    if (answers > 0) handset.hear(0, 'sent')
    if (answers > 1) handset.hear(0, 'delivered')
    if (fate === 'bad_part') await world.report(handset, [handset.snapshots.length - 1])
  },
)
const report = step(
  'report',
  fc.tuple(phone, fc.array(fc.nat(50), { minLength: 1, maxLength: 6 })),
  (world, [i, which]) => world.report(world.handsets[i]!, which),
)
/** Everything that a phone has to say, or said before, the last first or the first first. */
const tellAll = step('tell all', fc.tuple(phone, fc.boolean()), (world, [i, isReversed]) => {
  const handset = world.handsets[i]!
  const all = handset.snapshots.map((_, which) => which)
  return world.report(handset, isReversed ? all.toReversed() : all)
})
const pass = step(
  'pass',
  fc.constantFrom(1_000, 1_000, 1_000, 16_000, 16_000, 16_000, 61_000, 11 * 60_000, hourMs, 4 * hourMs),
  (world, ms) => world.pass(ms),
)
/** Every phone is offline meanwhile, and says afterwards what it did before. */
const days = step('days', fc.constantFrom(1, 2, 4, 11), (world, count) => world.pass(count * 24 * hourMs))
const restart = step('restart', fc.constant(null), (world) => world.restart())
const installAnew = step('install anew', phone, (world, i) => world.installAnew(world.handsets[i]!))
const enable = step('enable', fc.tuple(phone, seldom), (world, [i, isDisabled]) =>
  world.enable(world.handsets[i]!, !isDisabled),
)
const cancel = step('cancel', fc.nat(20), (world, which) => world.cancel(which))

/** Each is drawn as often as it is named. */
const steps = fc.oneof(
  send, send, send, pull, pull, work, work, work, work, radio, radio, hear, hear, report, report, report, tellAll, tellAll, tellAll, pass, pass, days, restart,
  installAnew, enable, enable, cancel,
) // prettier-ignore

test(
  'whatever phones, people and time do in whatever order: nobody gets a message twice, nothing is told that is not so, and everything ends',
  { timeout: 0 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60, size: 'max' }), async (drawn) => {
        store.clear()
        const world = await openPhoneWorld(store)
        for (const { run } of drawn) {
          await run(world)
          await world.sums()
          await world.truths()
        }
        await world.end()
        await world.sums()
        await world.truths()
        expect((await world.messages()).filter((message) => message.finalized_at === null)).toEqual([])
      }),
      { numRuns: sequences },
    )
  },
)
