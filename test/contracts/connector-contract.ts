import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import {
  type CreateSubject,
  createWorld,
  submissionOf,
  longHandOver,
  networkIdsOf,
  type Open,
  type Opened,
  openSubject,
  startLink,
  turnUntil,
} from './contract-subject.ts'
import { takesWhatHandsetsSend } from './handset-contract.ts'
import { expectHonestHealth } from './honest.ts'
import { carriesTextsWhole } from './text-contract.ts'

/**
 * What the service takes for granted of every link, whatever it speaks. Each kind of connector calls this with a subject of
 * its own; a link that passes may carry messages and money. Two things are left out for devices that cannot show them:
 * `hasPeerLog: false` for one that keeps no log of what it received, `takesParts: false` for one that takes a message whole or not at all.
 */
export function connectorContract(
  name: string,
  createSubject: CreateSubject,
  { hasPeerLog = true, takesParts = true }: { hasPeerLog?: boolean; takesParts?: boolean } = {},
): void {
  describe(`a link that honours the contract: ${name}`, () => {
    const open = (): Promise<Opened> => openSubject(createSubject)
    answersEverySubmit(open)
    tellsRefusalsApart(open)
    saysReceiptsTruly(open)
    if (takesParts) tellsPartsApart(open)
    takesWhatHandsetsSend(open)
    remembersAcrossKills(open)
    knowsWhenItIsCutOff(open)
    stopsCleanly(open)
    if (hasPeerLog) carriesTextsWhole(open)
  })
}

function answersEverySubmit(open: Open): void {
  test('settles every submit with one well-formed outcome, whatever the device answers', async () => {
    const { subject, submit } = await open()
    const answers = fc.constantFrom('yes', 'good', 'now', 'busy', 'nothing')
    const messages = fc.record({
      answer: answers,
      isOffline: fc.boolean(),
      parts: fc.integer({ min: 1, max: 3 }),
    })
    const property = fc.asyncProperty(messages, async ({ answer, isOffline, parts }) => {
      await subject.answerWith(answer)
      await subject.setOffline(isOffline)
      const { kind } = await submit(longHandOver(parts))
      const whenOnline = answer === 'yes' ? 'accepted' : answer === 'nothing' ? 'unknown' : 'refused'
      expect(kind).toBe(isOffline ? 'unavailable' : whenOnline)
    })
    await fc.assert(property, { numRuns: 30 })
  })

  test('gives one network id for each part, and none of them twice', async () => {
    const { subject, submit } = await open()
    const given: string[] = []
    for (let parts = 1; parts <= subject.link.capabilities.maxParts; parts++) {
      const outcome = await submit(longHandOver(parts))
      expect(outcome.kind).toBe('accepted')
      expect(networkIdsOf(outcome)).toHaveLength(parts)
      given.push(...networkIdsOf(outcome))
    }
    expect(new Set(given).size).toBe(given.length)
  })

  test('carries as many open submits as its window says, and more as they settle', async () => {
    const { world, subject } = await open()
    const { link } = subject
    expect(Number.isInteger(link.window) && link.window >= 1).toBe(true)
    await subject.delayAnswers(50)
    let openNow = 0
    let left = 2 * link.window + 1
    const kinds = new Set<string>()
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        openNow += 1
        expect(openNow).toBeLessThanOrEqual(link.window)
        kinds.add((await link.submit(submissionOf())).kind)
        openNow -= 1
      }
    }
    const lanes = Promise.all(Array.from({ length: link.window }, lane))
    await turnUntil(world, lanes, subject.settlesWithinMs)
    expect([...kinds]).toEqual(['accepted'])
  })
}

function tellsRefusalsApart(open: Open): void {
  const refusal = async ({ subject, submit }: Opened, answer: 'good' | 'now' | 'busy'): Promise<unknown> => {
    await subject.answerWith(answer)
    return submit()
  }

  test('tells a refusal for good from one for now and from being throttled', async () => {
    const opened = await open()
    expect(await refusal(opened, 'good')).toMatchObject({ kind: 'refused', lasts: 'good' })
    expect(await refusal(opened, 'now')).toMatchObject({ kind: 'refused', lasts: 'now' })
    expect(await refusal(opened, 'busy')).toMatchObject({ kind: 'refused', lasts: 'busy' })
  })

  test('says no receipt for what was refused', async () => {
    const opened = await open()
    await refusal(opened, 'good')
    await opened.subject.hearOut(opened.world)
    expect(opened.world.said).toEqual([])
  })

  test('reports an answer that never came as unknown, and carries the next message', async () => {
    const { subject, submit } = await open()
    await subject.answerWith('nothing')
    expect((await submit()).kind).toBe('unknown')
    await subject.answerWith('yes')
    expect((await submit()).kind).toBe('accepted')
  })
}

function saysReceiptsTruly(open: Open): void {
  test('says one receipt for each network id that it gave, and for no other', async () => {
    const { world, subject, submit } = await open()
    const given: string[] = []
    for (const parts of [1, 3, 1, 2]) given.push(...networkIdsOf(await submit(longHandOver(parts))))
    await subject.hearOut(world)
    expect(world.said.map((receipt) => receipt.networkId).toSorted()).toEqual(given.toSorted())
    expect(new Set(world.said.map((receipt) => receipt.result))).toEqual(new Set(['delivered']))
  })

  test('never says a receipt in the turn in which the message was handed over', async () => {
    const { world, subject } = await open()
    const submitted = subject.link.submit(submissionOf())
    expect(world.said).toEqual([])
    await turnUntil(world, submitted, subject.settlesWithinMs)
  })

  test('says a receipt again until it is stored, and then no more', async () => {
    const { world, subject, submit } = await open()
    world.canStore = false
    const [networkId] = networkIdsOf(await submit())
    await subject.hearOut(world, 120_000)
    expect(world.said.length).toBeGreaterThanOrEqual(3)
    expect(world.said.length).toBeLessThanOrEqual(121)
    world.canStore = true
    await subject.hearOut(world, dayMs)
    expect(world.stored.map((receipt) => receipt.networkId)).toEqual([networkId])
  })

  test('says receipts when they are due even if the wall clock jumps back', async () => {
    const { world, subject, submit } = await open()
    await submit()
    world.clock.jumpWallClock(-3 * dayMs)
    await subject.hearOut(world)
    expect(world.stored).toHaveLength(1)
  })
}

function tellsPartsApart(open: Open): void {
  test('tells of a message that was taken in part how many parts were, and has a receipt for each of them', async () => {
    const { world, subject, submit } = await open()
    await subject.answerWith('some')
    const outcome = await submit(longHandOver(3))
    expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1, receiptExpected: true })
    expect(networkIdsOf(outcome)).toHaveLength(1)
    await subject.hearOut(world)
    expect(world.stored.map((receipt) => receipt.networkId)).toEqual(networkIdsOf(outcome))
  })
}

function remembersAcrossKills(open: Open): void {
  test('says after a restart the receipts that a kill lost, once each, and none for ids of others', async () => {
    const { world, subject, submit } = await open()
    const given = [...networkIdsOf(await submit()), ...networkIdsOf(await submit(longHandOver(2)))]
    const later = createWorld(world.clock.now() + 1000)
    const link = (later.link = await subject.relaunch(later))
    await startLink(later, subject)
    const expected = [...given, 'not-of-this-device'].map((networkId) => ({ networkId }))
    link.resume?.(expected.slice(0, 2))
    link.resume?.(expected.slice(1))
    await turnUntil(later, link.submit(submissionOf()), subject.settlesWithinMs)
    await subject.hearOut(later)
    const old = later.stored
      .map((receipt) => receipt.networkId)
      .filter((networkId) => given.includes(networkId))
    expect(old.toSorted()).toEqual(given.toSorted())
    expect(later.stored).toHaveLength(given.length + 1)
  })
}

function knowsWhenItIsCutOff(open: Open): void {
  test('is unavailable and offline while its device is cut off, and tells of each change', async () => {
    const { world, subject, submit } = await open()
    expect(world.statuses.at(-1)).toBe('online')
    await subject.setOffline(true)
    expect(world.statuses.at(-1)).toBe('offline')
    expect((await submit()).kind).toBe('unavailable')
    await subject.setOffline(false)
    expect(world.statuses.at(-1)).toBe('online')
    expect((await submit()).kind).toBe('accepted')
  })

  test('gives each group of its health whole or not at all, in every state', async () => {
    const { subject } = await open()
    expectHonestHealth(subject.link.health())
    await subject.setOffline(true)
    expectHonestHealth(subject.link.health())
    await subject.link.stop()
    expectHonestHealth(subject.link.health())
    expect(subject.link.health().status).toBe('offline')
  })

  test('is pending before it was started', async () => {
    const { subject } = await open()
    const fresh = await subject.relaunch(createWorld())
    expect(fresh.health().status).toBe('pending')
    expectHonestHealth(fresh.health())
  })
}

function stopsCleanly(open: Open): void {
  test('settles every open submit before its stop settles, and says nothing afterwards', async () => {
    const { world, subject, submit } = await open()
    await submit()
    await subject.delayAnswers(500)
    const order: string[] = []
    const submits = [1, 2, 3].map(async () => {
      const { kind } = await subject.link.submit(submissionOf())
      order.push(kind)
    })
    const stopped = subject.link.stop().then(() => order.push('stopped'))
    await turnUntil(world, stopped, subject.settlesWithinMs)
    await Promise.all(submits)
    expect(order).toEqual(['accepted', 'accepted', 'accepted', 'stopped'])

    const before = [world.said.length, world.inbound.length, world.statuses.length]
    await world.clock.advance(dayMs)
    expect([world.said.length, world.inbound.length, world.statuses.length]).toEqual(before)
    expect(world.clock.waiting).toBe(0)
  })

  test('cuts no message in half when it stops: each goes whole, or not at all', async () => {
    const { world, subject } = await open()
    const { link } = subject
    await subject.delayAnswers(30)
    const submits = Array.from({ length: link.window }, () => link.submit(longHandOver(3)))
    const settled = Promise.all([link.stop(), ...submits])
    const [, ...outcomes] = await turnUntil(world, settled, subject.settlesWithinMs)
    expect(['accepted', 'unavailable']).toEqual(expect.arrayContaining(outcomes.map(({ kind }) => kind)))
  })

  test('takes nothing after its stop, and may be stopped twice', async () => {
    const { subject, submit } = await open()
    await subject.link.stop()
    await subject.link.stop()
    expect((await submit()).kind).toBe('unavailable')
  })
}
