import { onTestFinished } from 'vitest'
import { lostCanaries } from '../../src/alerts/lost-canaries.ts'
import type { Inbound, Link, Outcome, Submission } from '../../src/connectors/connector.ts'
import { addCanary, type NewCanary } from '../../src/devices/canaries/canary-store.ts'
import { readCanaries } from '../../src/devices/canaries/canary-view.ts'
import { CanarySenders } from '../../src/dispatch/devices/canary-senders.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import { createCanaryRunner } from '../../src/dispatch/sweepers/canary-runner.ts'
import { createLog } from '../../src/process/log.ts'
import { openMessagesFixture } from '../messages-fixture.ts'
import { scriptedKind } from './scripted-kind.ts'

const minuteMs = 60_000

/** Two own devices of `acc_a`, `dev_from` and `dev_to`: what the first one is given is kept, and answered as `answer` says. */
export async function openCanaryHouse() {
  const given: Submission[] = []
  const says: { answer: Outcome | Promise<Outcome> } = {
    answer: { kind: 'accepted', networkIds: ['n1'], receiptExpected: true },
  }
  const submit: Link['submit'] = async (submission) => {
    given.push(submission)
    return says.answer
  }
  const base = await openMessagesFixture(scriptedKind({ submit, window: 2 }))
  onTestFinished(() => base.close())
  const { storage, clock, ids, pool } = base
  await base.addGrantedAccount()
  for (const id of ['dev_from', 'dev_to']) await base.addDevice(id, { accountId: 'acc_a' })
  const log = createLog('silent', { write: () => undefined })
  const parts = { read: storage.read, writer: storage.writer, ids, clock, log, pool }
  const runner = (more: Partial<Parameters<typeof createCanaryRunner>[0]> = {}) =>
    createCanaryRunner({ ...parts, canaries: new CanarySenders(), ...more })
  const receiver = new InboundReceiver({
    ...parts,
    config: { inboundJoinMinutes: 30, inboundCharacters: 40_000, inboundPerMinute: 0, sharedReplyDays: 30 },
  })
  let told = 0
  return {
    ...base,
    given,
    says,
    parts,
    runner,
    async run(more?: Parameters<typeof runner>[0]) {
      const one = runner(more)
      await one.sweepAll()
      await one.settled()
    },
    wait: (minutes: number) => clock.jumpWallClock(minutes * minuteMs),
    receive: (text: string, deviceId = 'dev_to', more: Partial<Inbound> = {}) =>
      receiver.receive(deviceId, {
        from: '+4915100000001', to: null, text, networkAt: null, inReplyTo: null, fingerprint: `f${told++}`, ...more,
      }), // prettier-ignore
    add: (more: Partial<NewCanary> = {}) =>
      storage.writer.write((tx) =>
        addCanary(tx, { ids, nowMs: clock.now() }, {
          accountId: 'acc_a', fromDevice: 'dev_from', toDevice: 'dev_to', recipient: '+4915100000002', sender: null, sim: null, everyMs: 60 * minuteMs, actor: 'test', ...more,
        }),
      ), // prettier-ignore
    canary: async () => (await readCanaries(storage.read, 'all'))[0],
    alerts: async () =>
      (await lostCanaries.find(storage.read, clock.now(), new Set())).map(({ subject }) => subject),
    /** Nothing that a customer sees, and nothing that costs. */
    async traces() {
      const [messages, events, changes, wallets] = await Promise.all([
        storage.read.selectFrom('messages').selectAll().execute(),
        storage.read.selectFrom('webhook_events').selectAll().execute(),
        storage.read.selectFrom('message_changes').selectAll().execute(),
        storage.read.selectFrom('wallets').selectAll().where('mode', '=', 'live').execute(),
      ])
      const cost = wallets.map((row) => row.reserved + row.used + row.own_reserved + row.own_used)
      return {
        rows: messages.length + events.length + changes.length,
        cost: cost.reduce((sum, each) => sum + each, 0),
      }
    },
  }
}
