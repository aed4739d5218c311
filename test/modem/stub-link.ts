import { onTestFinished } from 'vitest'
import type { Link, Outcome, Submission } from '../../src/connectors/connector.ts'
import type { ConnectorTools } from '../../src/connectors/connector-tools.ts'
import { modemKind } from '../../src/connectors/modem/modem.ts'
import {
  type ContractWorld,
  createWorld,
  submissionOf,
  turnUntil,
  turnUntilHolds,
} from '../contracts/contract-subject.ts'
import { followClock } from '../contracts/modem-subject.ts'
import { type ModemOptions, type PooledModem, startPooledModem } from '../at-modem/modem-pool.ts'

/** A link to an emulated modem, both on one clock that the test turns. */
export interface StubLink {
  modem: PooledModem
  link: Link
  world: ContractWorld
  /** What the link has logged. */
  logged: { message: string; detail: Record<string, unknown> }[]
  /** Lets time pass in steps, each once both sides have nothing more to say, and shorter than any command may take where either has something to do. */
  pass(ms: number): Promise<void>
  /** Lets time pass until something is so; fails when it is not in time. */
  until(holds: () => boolean, withinMs?: number): Promise<void>
  isOnline(withinMs?: number): Promise<void>
  submit(submission?: Submission): Promise<Outcome>
}

/** No time-out of a command is due within it, though nothing is answered while the clock moves. */
const stepMs = 4_000

/** Marks of one device, as the database keeps them. */
export type Marks = NonNullable<ConnectorTools['marks']>

export function createMarks(): Marks & { names: Set<string> } {
  const names = new Set<string>()
  return {
    names,
    mark: async (name) => !names.has(name) && names.add(name).has(name),
    unmark: async (name) => void names.delete(name),
  }
}

interface Given {
  settings?: Readonly<Record<string, string>>
  pin?: string
  marks?: Marks
}

/** Starts a modem of its own, and a link to it. */
export async function openStubLink(options: ModemOptions = {}, given: Given = {}): Promise<StubLink> {
  return linkTo(await startPooledModem('stub', options), given)
}

/** Starts another link to it, as after a restart of the service. */
export async function linkTo(
  modem: PooledModem,
  { settings = {}, pin, marks = createMarks() }: Given = {},
  startMs?: number,
): Promise<StubLink> {
  const world = createWorld(startMs)
  world.atRest = followClock(modem, world)
  world.isRestKnown = true
  const logged: StubLink['logged'] = []
  const tools: ConnectorTools = {
    ...world.tools,
    marks,
    log: (_level, message, detail = {}) => void logged.push({ message, detail }),
  }
  const link = modemKind.createLink(
    {
      id: 'dev_1',
      name: 'Stick',
      settings: { port: modem.address, pause_ms: '0', ...settings },
      secrets: pin === undefined ? {} : { pin },
    },
    tools,
    world.events,
  )
  world.link = link
  onTestFinished(() => turnUntil(world, link.stop(), 60_000))
  await link.start()
  const until: StubLink['until'] = (holds, withinMs = 120_000) => turnUntilHolds(world, holds, withinMs)
  return {
    modem,
    link,
    world,
    logged,
    until,
    pass: async (ms) => {
      const untilMs = world.clock.monotonicMs() + ms
      for (let left = ms; left > 0; left = untilMs - world.clock.monotonicMs()) {
        // A link without a timer waits for the machine, which does not know this clock.
        const { nextInMs } = world.clock
        const emptyMs =
          nextInMs === Infinity ? 0 : Math.min(nextInMs, (await modem.advance(0)) ?? Infinity) - stepMs
        await world.clock.advance(Math.min(left, Math.max(stepMs, emptyMs)))
        await world.atRest()
      }
    },
    isOnline: (withinMs) => until(() => link.health().status === 'online', withinMs),
    submit: (submission = submissionOf()) => turnUntil(world, link.submit(submission), 300_000),
  }
}
