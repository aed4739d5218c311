import { expect, onTestFinished, test } from 'vitest'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { startPooledModem } from '../at-modem/modem-pool.ts'
import { eventually, until } from '../eventually.ts'
import { openModemHouse, openTenant } from '../modem/modem-house.ts'
import type { AtModemControl } from '../peers/at-modem-control.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { cliJson } from '../run-command.ts'
import { openArming } from './armed-server.ts'
import { runBothHalves } from './both-halves.ts'
import { expectSound } from './crash-house.ts'
import { type CrashPoint, modemCrashPoints } from './crash-points.ts'
import { createLoad, type Load } from './load.ts'

/**
 * Of the modem, which drops reports by itself once one was left unacknowledged for so long (3GPP TS 27.005, section 3.4.4): longer than a restart,
 * even on a busy machine.
 */
const ackWithinMs = 120_000
const rounds = sizeOf('CRASH_ROUNDS')

test(
  'over a modem a crash before or after any step or commit sends nothing twice, loses no report and no received message, and leaves what is unknown unconfirmed',
  { timeout: endAfter(300_000) },
  async () => {
    await runBothHalves((half, signal) =>
      expectSoundAfterEach(
        modemCrashPoints.filter((_, i) => i % 2 === half),
        signal,
      ),
    )
  },
)

async function expectSoundAfterEach(points: readonly CrashPoint[], signal: AbortSignal): Promise<void> {
  const arming = await openArming()
  onTestFinished(() => arming.remove())
  const server = await openModemHouse(arming.env)
  const ada = await openTenant(server, 'ada')
  const onesixty = (...args: string[]): Promise<unknown> => cliJson(args, server.dataFolder)
  await onesixty('account', 'grant', '--account', ada.accountId, '--sms', '100000', '--note', 'test')
  await onesixty('account', 'limit', '--account', ada.accountId, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0') // prettier-ignore
  const modem = await startPooledModem('machine', { settings: { indications: { ackWithinMs } } })
  await ada.addModem(modem)
  const load = createLoad({ url: server.url, key: ada.liveKey, perSecond: 3 })
  onTestFinished(() => load.close())
  const handset = writeTexts(modem)
  onTestFinished(() => void handset.stop())
  for (let round = 0; round < rounds; round++)
    for (const [i, point] of points.entries()) {
      signal.throwIfAborted()
      load.resume()
      await arming.diesAt(server.process, { point, skip: (round + i) % 3 })
      await load.pause()
      await server.restart()
      await load.repeatUnanswered()
    }
  // Each crash may leave one that is unknown, and few are sent between two of them: more than that are sent with none.
  const more = rounds * points.length
  const wanted = load.accepted.size + more
  load.resume()
  await until(
    () => load.accepted.size,
    (size) => size > wanted,
    60_000 + more * 1_000,
  )
  await load.pause()
  const written = handset.stop()
  expect([load.unanswered.size, load.refused]).toEqual([0, []])
  const client = createApiClient(server.url)
  onTestFinished(() => client.close())
  await expectSent({ client, key: ada.liveKey, modem, load })
  await expectReceived({ client, key: ada.liveKey }, written)
  await expectSound({ dataFolder: server.dataFolder })
}

/** Nothing accepted is lost or on a handset twice; what is delivered is there, and all else is unconfirmed. */
async function expectSent(of: {
  client: ApiClient
  key: string
  modem: AtModemControl
  load: Load
}): Promise<void> {
  const { client, key, modem, load } = of
  const outbound = () => client.history(key, 'direction=outbound')
  const unended = async () =>
    (await outbound())
      .filter(({ status }) => !/^(delivered|unconfirmed)$/.test(status))
      .map(({ id, status, to, parts }) => `${id} ${status} to ${to} in ${parts}`)
  await eventually(unended, (left) => expect(left).toEqual([]), 60_000)
  const messages = await outbound()
  const ids = new Set(messages.map(({ id }) => id))
  const accepted = [...load.accepted.values()].flatMap((send) => send.messages)
  expect(accepted.filter(({ id }) => !ids.has(id)), 'accepted, and lost').toEqual([]) // prettier-ignore
  const onHandsets = Map.groupBy(modem.taken(), ({ to, text, part }) => `${to} ${part?.part ?? 1} ${text}`)
  expect([...onHandsets].filter(([, all]) => all.length > 1).map(([what]) => what), 'sent twice').toEqual([]) // prettier-ignore
  const parts = Map.groupBy(modem.taken(), ({ to }) => to)
  const phantom = messages.filter(({ status, to, parts: count }) => status === 'delivered' && (parts.get(to)?.length ?? 0) < count) // prettier-ignore
  expect(phantom, 'delivered, and on no handset').toEqual([])
  const ends = Map.groupBy(messages, ({ status }) => status)
  expect(ends.get('delivered')?.length).toBeGreaterThan(messages.length / 2)
  expect(ends.get('unconfirmed')?.length, 'of a crash in the midst of a send').toBeGreaterThan(0)
}

/** What handsets wrote is stored once. */
async function expectReceived(
  { client, key }: { client: ApiClient; key: string },
  written: readonly string[],
): Promise<void> {
  const stored = async () => (await client.history(key, 'direction=inbound')).map(({ text }) => text)
  await eventually(stored, (seen) => expect(seen.length).toBe(written.length), 60_000)
  expect(new Set(await stored())).toEqual(new Set(written))
  expect(written.length).toBeGreaterThan(modemCrashPoints.length / 2)
}

/** A handset that writes all the while; gives its texts. */
function writeTexts(modem: AtModemControl): { stop(): readonly string[] } {
  const texts: string[] = []
  const timer = setInterval(() => {
    const text = `From a handset, ${texts.length}`
    texts.push(text)
    void modem.receive({ from: '+4915112345678', text })
  }, 700)
  return {
    stop() {
      clearInterval(timer)
      return texts
    },
  }
}
