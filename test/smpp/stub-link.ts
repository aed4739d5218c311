import { onTestFinished } from 'vitest'
import type { Link } from '../../src/connectors/connector.ts'
import { smppKind } from '../../src/connectors/smpp/smpp.ts'
import { type ContractWorld, createWorld } from '../contracts/contract-subject.ts'
import { type Answering, startStubSmsc, type StubSmsc } from './stub-smsc.ts'

export interface StubLink {
  link: Link
  smsc: StubSmsc
  world: ContractWorld
}

/** A link of one session, bound to an SMSC of this process that says what the test says, when it says so. Both are gone when the test is over. */
export async function openStubLink(options: {
  answering?: Answering
  settings?: Readonly<Record<string, string>>
  /** Waits until it may submit; else until it is bound. */
  isSending?: boolean
}): Promise<StubLink> {
  const smsc = await startStubSmsc(options.answering)
  const world = createWorld()
  Object.assign(world, { atRest: smsc.atRest, isRestKnown: true })
  const bound = Promise.withResolvers<void>()
  const events = {
    ...world.events,
    healthChanged: () => {
      world.events.healthChanged()
      const { link = 'none', reasons = [] } = world.link?.health() ?? {}
      if (link === 'session' || (options.isSending === false && !reasons.includes('connecting')))
        bound.resolve()
    },
  }
  const settings = {
    host: '127.0.0.1',
    port: String(smsc.port),
    system_id: 'esme',
    ...options.settings,
  }
  const setup = { id: 'dev_1', name: 'Carrier', settings, secrets: { password: 'secret' } }
  const link = smppKind.createLink(setup, world.tools, events)
  world.link = link
  onTestFinished(async () => {
    smsc.socket().destroy()
    const stopped = link.stop()
    // Nothing is left to wait for but the clock, which a test turns.
    await world.clock.advance(60_000)
    await stopped
    await smsc[Symbol.asyncDispose]()
  })
  await link.start()
  await bound.promise
  return { link, smsc, world }
}
