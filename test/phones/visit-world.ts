import { onTestFinished } from 'vitest'
import type { Inbound } from '../../src/connectors/connector.ts'
import { VisitedPhone } from '../../src/connectors/android/local/visited-phone.ts'
import type { VisitPorts } from '../../src/connectors/android/ports.ts'
import { setDevice } from '../../src/devices/core/device-store.ts'
import type { KnownPhone } from '../../src/devices/phones/known-phone.ts'
import { longestOfferMs } from '../../src/messages/phones/phone-offers.ts'
import { readUnfinishedOffers } from '../../src/messages/phones/unfinished-offers.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { pullKind } from './pull-kind.ts'
import { type DeskHouse, openDeskHouse } from './gateway-fixture.ts'
import { type LocalPhone, startLocalPhone } from './local-phone.ts'

export interface VisitWorld extends LocalPhone {
  house: DeskHouse
  phone: VisitedPhone
  inbound: Inbound[]
  /** The installation that the registration is for. */
  connectedTo: string
  /** How much of its time passes until the next visit; settles when that has ended. */
  visit(): Promise<number>
  /** A new visitor of the same phone, as after a kill of the process. */
  restart(password?: string): Promise<void>
}

type Knobs = Parameters<typeof startLocalPhone>[0]

/** Real tables and a real phone; each visit is made by the test, so that nothing happens between two of them. */
export async function openVisitWorld(
  knobs: Knobs = {},
  settings: Record<string, string> = {},
): Promise<VisitWorld> {
  const house = await openDeskHouse()
  const registration: KnownPhone = await house.register('1')
  const { deviceId } = registration
  const secretBox = createDeviceSecretBox({ current: 's'.repeat(32), former: [] })
  const deps = { ids: house.ids, nowMs: house.clock.now(), secretBox, rules: pullKind() }
  await house.storage.writer.write((tx) => setDevice(tx, deps, { deviceId, pace: null, actor: 'test' }))
  await house.pool.reloadIfChanged()
  const local = await startLocalPhone({
    timeScale: 1_000,
    reportJitterMs: [0, 0],
    sentAfterMs: [0, 0],
    deliveredAfterMs: [0, 0],
    ...knobs,
    clockOffsetMs: house.clock.now() - Date.now() + (knobs?.clockOffsetMs ?? 0),
  })
  const [device] = (await local.ask('GET', '/device')).json as [{ id: string }]
  const inbound: Inbound[] = []
  const ports: VisitPorts = {
    visited: async () => ({
      registration,
      connectedAt: house.clock.now() - 30 * 86_400_000,
      localId: world.connectedTo,
    }),
    held: async () => {
      const asked = { ...registration, nowMs: house.clock.now(), spanMs: longestOfferMs }
      return (await readUnfinishedOffers(house.storage.read, asked)).map(({ attemptId }) => attemptId)
    },
    update: async () => undefined,
    offer: () => house.pull(registration),
    report: (_, reports) => house.report(registration, ...reports),
    inbound: async (_, each) => void inbound.push(each),
    hasMore: async () => false,
  }
  let next: { afterMs: number; run: () => void } | null = null
  let planned: () => void = () => undefined
  const create = async (password: string): Promise<VisitedPhone> => {
    const tools = {
      now: house.clock.now,
      monotonicMs: house.clock.monotonicMs,
      random: () => 0.5,
      log: () => undefined,
      schedule(afterMs: number, run: () => void) {
        // The phone answers or cuts: nothing waits for the end of a call.
        if (afterMs === 5_000) return () => undefined
        const plan = { afterMs, run }
        next = plan
        planned()
        return () => void (next = next === plan ? null : next)
      },
    }
    const events = {
      receipt: async () => undefined,
      inbound: async () => undefined,
      lateOutcome: async () => undefined,
      healthChanged: () => undefined,
    }
    const given = { local_address: local.address, local_id: device.id, ...settings }
    const created = new VisitedPhone(
      { tools, events, ports },
      { id: deviceId, name: 'Phone', settings: given, secrets: { local_password: password } },
    )
    await created.start()
    return created
  }
  const world: VisitWorld = {
    ...local,
    house,
    phone: await create(local.password),
    inbound,
    connectedTo: device.id,
    async visit() {
      const due = next
      if (due === null) throw new Error('no visit is planned')
      next = null
      const ended = new Promise<void>((resolve) => (planned = resolve))
      await house.clock.advance(due.afterMs)
      due.run()
      await ended
      planned = () => undefined
      return due.afterMs
    },
    async restart(password = local.password) {
      next = null
      world.phone = await create(password)
    },
  }
  onTestFinished(() => world.phone.stop())
  return world
}
