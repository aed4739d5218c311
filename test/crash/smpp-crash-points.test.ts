import { expect, onTestFinished, test } from 'vitest'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { mobileOriginated } from '../peers/sms-text/mobile-originated.ts'
import { judgeTexts } from '../peers/sms-text/reassemble.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { openSmppHouse, type SmppHouse } from '../smpp/smpp-house.ts'
import { runBothHalves } from './both-halves.ts'
import { expectSound } from './crash-house.ts'
import { openArming } from './armed-server.ts'
import { type CrashPoint, smppCrashPoints } from './crash-points.ts'
import { createLoad, type Load } from './load.ts'

const rounds = sizeOf('CRASH_ROUNDS')
const mobile = '4915112345678'

test(
  'over a link a crash before or after any PDU or commit submits nothing twice, and loses no receipt and no received message',
  { timeout: endAfter(300_000) },
  async () => {
    // Two links at once, each with half of the points: a start keeps one processor busy.
    await runBothHalves((half, signal) =>
      expectSoundAfterEach(
        smppCrashPoints.filter((_, i) => i % 2 === half),
        signal,
      ),
    )
  },
)

async function expectSoundAfterEach(points: readonly CrashPoint[], signal: AbortSignal): Promise<void> {
  const arming = await openArming()
  onTestFinished(() => arming.remove())
  const house = await openSmppHouse({ ownProcess: true, settings: ['window=10'], env: arming.env })
  const load = createLoad({ url: house.server.url, key: house.liveKey, perSecond: 40 })
  onTestFinished(() => load.close())
  const handsets = receiveTexts(house)
  for (let round = 0; round < rounds; round++)
    for (const [i, point] of points.entries()) {
      signal.throwIfAborted()
      load.resume()
      await arming.diesAt(house.server.process, { point, skip: (round + i) % 3 })
      await load.pause()
      await house.server.restart()
      await load.repeatUnanswered()
    }
  const told = await handsets.stop()
  expect([load.unanswered.size, load.refused]).toEqual([0, []])
  const client = createApiClient(house.server.url)
  onTestFinished(() => client.close())
  await expectSubmitted(house, client, load, rounds * points.length)
  await expectReceived(house, client, told, rounds * points.length)
  await expectSound({ dataFolder: house.server.dataFolder })
}

/** Nothing accepted is lost or submitted twice, and more than `least` was sent. */
async function expectSubmitted(
  { smsc, liveKey }: SmppHouse,
  client: ApiClient,
  load: Load,
  least: number,
): Promise<void> {
  const unended = async () => {
    const messages = await client.history(liveKey, 'direction=outbound')
    const left = messages.filter(({ status }) => !/^(delivered|unconfirmed)$/.test(status))
    // Told in one line where it fails, which is all that the table of proofs keeps.
    return left.map(({ id, status, to, parts }) => `${id} ${status} to ${to} in ${parts}`)
  }
  await eventually(unended, (left) => expect(left).toEqual([]), 60_000)
  const messages = await client.history(liveKey, 'direction=outbound')
  const ids = new Set(messages.map(({ id }) => id))
  const accepted = [...load.accepted.values()].flatMap((send) => send.messages)
  expect(
    accepted.filter(({ id }) => !ids.has(id)),
    'accepted, and lost',
  ).toEqual([])
  const meant = messages.map(({ to, text }) => ({ to, text: text ?? '' }))
  const { twice, strange, repeated, wrong, lost } = judgeTexts(meant, smsc.submits())
  expect({ twice, strange, repeated, wrong }).toEqual({ twice: [], strange: [], repeated: [], wrong: [] })
  const nowhere = new Set(lost.map(({ to }) => to))
  const phantom = messages.filter(({ status, to }) => status === 'delivered' && nowhere.has(to))
  expect(phantom, 'delivered, and on no handset').toEqual([])
  expect(messages.length).toBeGreaterThan(least)
}

/** Nothing that handsets wrote is stored twice, and what was acknowledged is stored; more than `least` was. */
async function expectReceived(
  { liveKey }: SmppHouse,
  client: ApiClient,
  told: ReadonlyMap<string, unknown>,
  least: number,
): Promise<void> {
  const received = await client.history(liveKey, 'direction=inbound')
  const stored = received.map(({ text }) => text ?? '')
  expect(stored.length, 'no received message is stored twice').toBe(new Set(stored).size)
  // What was acknowledged is stored; what was refused for good after so many tries is the SMSC's to keep.
  const acknowledged = [...told].filter(([, outcome]) => outcome === 0).map(([text]) => text)
  expect(
    acknowledged.filter((text) => !stored.includes(text)),
    'acknowledged, and lost',
  ).toEqual([])
  expect(stored.filter((text) => !told.has(text))).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(least)
}

/** Handsets that write all the while; gives what the SMSC's last word on each of their texts was. */
function receiveTexts({ smsc }: SmppHouse): { stop(): Promise<ReadonlyMap<string, unknown>> } {
  const told = new Map<string, unknown>()
  const telling: Promise<unknown>[] = []
  const timer = setInterval(() => {
    const text = `From a handset, ${telling.length}`
    const [order] = mobileOriginated({ from: mobile, to: '12345', text, method: 'none' })
    telling.push(smsc.deliver(order!).then(({ outcome }) => told.set(text, outcome)))
  }, 100)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(telling)
      return told
    },
  }
}
