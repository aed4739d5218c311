import { expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { submissionOf, turnUntilHolds } from '../contracts/contract-subject.ts'
import { openStubLink, type StubLink } from './stub-link.ts'

/** A connection that lies open and dead: whatever is said over it is lost, and nobody is told so. */

const window = 10

/** A link to an SMSC that hears nothing and says nothing while it is dead, to those that connect meanwhile neither. */
async function openMortal(settings: Record<string, string>) {
  const peer = { isDead: false }
  const opened = await openStubLink({
    settings: { window: `${window}`, ...settings },
    answering: () => (peer.isDead ? [] : null),
  })
  return { ...opened, peer }
}

/** Hands over whatever there is room for, as the dispatcher does, for so long. */
async function handOverFor(seconds: number, { link, world }: StubLink): Promise<Promise<Outcome>[]> {
  const submits: Promise<Outcome>[] = []
  let settled = 0
  for (let step = 0; step < seconds * 10; step++) {
    for (let room = link.window - (submits.length - settled); room > 0; room--)
      submits.push(link.submit(submissionOf()).finally(() => (settled += 1)))
    await world.clock.advance(100)
    await world.atRest()
  }
  return submits
}

test.for([
  ['its own time-outs', {}],
  ['short ones', { enquire_link_ms: '1000', enquire_link_timeout_ms: '500', response_timeout_ms: '1000' }],
] as const)(
  'after half a minute of a dead connection a link with %s is back within ten seconds, and a window is unknown at most',
  async ([, settings]) => {
    const opened = await openMortal(settings)
    const { link, smsc, world, peer } = opened
    peer.isDead = true
    const submits = await handOverFor(30, opened)
    peer.isDead = false
    // What a network does to the connections that have lost something.
    smsc.socket().resetAndDestroy()
    await world.atRest()
    await turnUntilHolds(world, () => link.health().status === 'online', 10_000)
    const kinds = (await Promise.all(submits)).map(({ kind }) => kind)
    expect(kinds).toContain('unknown')
    expect(kinds.filter((kind) => kind === 'unknown').length).toBeLessThanOrEqual(window)
    expect(kinds.filter((kind) => kind !== 'unknown' && kind !== 'unavailable')).toEqual([])
    expect(await link.submit(submissionOf())).toMatchObject({ kind: 'accepted' })
  },
)
