import { onTestFinished } from 'vitest'
import type {
  ConnectorEvents,
  Submission,
  Inbound,
  Link,
  Outcome,
  Receipt,
} from '../../src/connectors/connector.ts'
import type { ConnectorTools } from '../../src/connectors/connector-tools.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'
import { expectHonestOutcome } from './honest.ts'

/** A link under test with its device, and the levers that make the device misbehave. */
export interface ContractSubject {
  link: Link
  /** Within this much time after its start the link is online; 0 is at once. */
  startsWithinMs: number
  /** Within this much time every submit settles, whatever the device does. */
  settlesWithinMs: number
  /** Cuts the device off, or connects it again; settles when the link has noticed. */
  setOffline(offline: boolean): Promise<void>
  /** How the device answers the submits to come; `nothing` loses the answer, `some` takes the first part and refuses the rest for good. */
  answerWith(answer: 'yes' | 'good' | 'now' | 'busy' | 'nothing' | 'some'): Promise<void>
  /** How long the device takes for each answer to come. */
  delayAnswers(ms: number): Promise<void>
  /**
   * Lets the device say what it has to say: every receipt that is due by then, and again for `moreMs` what could not be stored. A device with
   * a clock of its own is waited for instead, until it has nothing left, or was turned away three times with whatever it has.
   */
  hearOut(world: ContractWorld, moreMs?: number): Promise<void>
  /** A handset sends an SMS, which the device has from the next `hearOut` on. */
  handsetSends(): Promise<HandsetMessage>
  /** Every message that the network took, whole again, oldest first. */
  peerLog(): Promise<readonly { to: string; text: string }[]>
  /** A new link to the same device in another world, as after a kill -9: the first one is left as it is. */
  relaunch(world: ContractWorld): Promise<Link>
  dispose(): Promise<void>
}

/** What a handset sent. */
export interface HandsetMessage {
  from: string
  text: string
  /** Whether the network has the link's word that the message is safe, and need not keep it. */
  isAcknowledged(): Promise<boolean>
}

/** What surrounds a link: a clock turned by hand, and a service that writes down what it is told. */
export interface ContractWorld {
  clock: StubClock
  tools: ConnectorTools
  events: ConnectorEvents
  /** Every receipt as it was said, stored or not. */
  said: Receipt[]
  /** The receipts that were stored. */
  stored: Receipt[]
  /** How often an inbound message was said, stored or not, and those that were stored. */
  inboundSaid: number
  inbound: Inbound[]
  late: { attemptId: string; outcome: Outcome }[]
  /** The status that the link gave at each call of `healthChanged`. */
  statuses: string[]
  /** While false, receipts and inbound messages are rejected. */
  canStore: boolean
  /** Settles when all that was said to a device with a clock of its own has its answer: only then does the clock of this world move on. */
  atRest: () => Promise<void>
  /** Whether `atRest` knows of every octet that is under way: nobody then needs time of the machine for them. */
  isRestKnown: boolean
  link: Link | null
}

/** Makes a link and its device in `world`; the link is not started yet. */
export type CreateSubject = (world: ContractWorld) => Promise<ContractSubject>

/** A subject whose link was started. */
export interface Opened {
  world: ContractWorld
  subject: ContractSubject
  /** Hands over and waits for the outcome, while time goes by. */
  submit(submission?: Submission): Promise<Outcome>
}
export type Open = () => Promise<Opened>

/** Opens a subject for the running test; it is disposed of when the test ends. */
export async function openSubject(createSubject: CreateSubject): Promise<Opened> {
  const world = createWorld()
  const subject = await createSubject(world)
  onTestFinished(() => subject.dispose())
  world.link = subject.link
  await startLink(world, subject)
  const submit = async (submission = submissionOf()): Promise<Outcome> => {
    await turnUntilRoom(world, subject)
    const outcome = await turnUntil(world, subject.link.submit(submission), subject.settlesWithinMs)
    expectHonestOutcome(outcome, submission)
    return outcome
  }
  return { world, subject, submit }
}

/** Starts the link of `world`; settles when it is online, and fails when it is not in time. */
export async function startLink(world: ContractWorld, { startsWithinMs }: ContractSubject): Promise<void> {
  await world.link?.start()
  await turnUntilHolds(world, () => world.statuses.at(-1) === 'online', startsWithinMs)
}

/** The dispatcher hands nothing to a link without room; a link that is cut off it asks all the same here. */
const turnUntilRoom = (world: ContractWorld, { link, settlesWithinMs }: ContractSubject): Promise<void> =>
  turnUntilHolds(world, () => link.window > 0 || !isUp(link), settlesWithinMs)

export const isUp = (link: Link): boolean => ['online', 'degraded'].includes(link.health().status)

export function createWorld(startMs?: number): ContractWorld {
  const clock = createStubClock(startMs)
  const { now, monotonicMs, schedule } = clock
  const full = new Error('The store takes nothing just now.')
  const world: ContractWorld = {
    clock,
    tools: { now, monotonicMs, schedule, random: () => 0.5, log: () => undefined },
    events: {
      receipt: async (receipt) => {
        world.said.push(receipt)
        if (!world.canStore) throw full
        world.stored.push(receipt)
      },
      inbound: async (inbound) => {
        world.inboundSaid += 1
        if (!world.canStore) throw full
        world.inbound.push(inbound)
      },
      lateOutcome: async (attemptId, outcome) => void world.late.push({ attemptId, outcome }),
      healthChanged: () => void world.statuses.push(world.link?.health().status ?? 'pending'),
    },
    said: [],
    stored: [],
    inboundSaid: 0,
    inbound: [],
    late: [],
    statuses: [],
    canStore: true,
    atRest: async () => undefined,
    isRestKnown: false,
    link: null,
  }
  return world
}

/** Waits for `promise` while time goes by in the world, up to `withinMs` of it. */
export async function turnUntil<T>(world: ContractWorld, promise: Promise<T>, withinMs: number): Promise<T> {
  const progress = { isSettled: false }
  const settled = promise.finally(() => (progress.isSettled = true))
  settled.catch(() => undefined)
  if (world.isRestKnown) await world.atRest()
  else await realMoment()
  await turnWhile(world, () => !progress.isSettled, withinMs)
  if (world.isRestKnown) await world.atRest()
  else if (!progress.isSettled) await Promise.race([settled, realMoment(2000)])
  if (!progress.isSettled) throw new Error(`nothing was settled within ${withinMs} ms`)
  return settled
}

/** The same for something that becomes true; of what is true already nobody waits. */
export async function turnUntilHolds(
  world: ContractWorld,
  holds: () => boolean,
  withinMs: number,
): Promise<void> {
  await turnWhile(world, () => !holds(), withinMs)
  if (!holds()) throw new Error(`it was not so within ${withinMs} ms`)
}

/**
 * The clock moves by a hundredth of the limit at a time, so that no time-out overtakes an answer: each time once everything is heard, and ever
 * more slowly where the machine alone knows what is under way.
 */
async function turnWhile(world: ContractWorld, isWaiting: () => boolean, withinMs: number): Promise<void> {
  for (let step = 0; step < 100 && isWaiting(); step++) {
    await world.atRest()
    if (!isWaiting()) return
    await world.clock.advance(withinMs / 100)
    if (!world.isRestKnown) await realMoment(1 + step / 4)
  }
}

const realMoment = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const newId = createIds({ now: () => Date.now() })
let numbersUsed = 0

/** A message of one part to a number of its own. */
export const submissionOf = (given: Partial<Submission> = {}): Submission => ({
  attemptId: newId('att'),
  to: `+4915112${String((numbersUsed += 1)).padStart(6, '0')}`,
  from: null,
  text: 'Your code is 123456',
  encoding: 'gsm7',
  parts: 1,
  category: 'transactional',
  validitySeconds: 3600,
  ...given,
})

/** A GSM-7 message of that many parts. */
export const longHandOver = (parts: number): Submission =>
  submissionOf({ parts, text: 'x'.repeat(parts === 1 ? 160 : 153 * parts) })

export const networkIdsOf = (outcome: Outcome): readonly string[] =>
  'networkIds' in outcome ? outcome.networkIds : []
