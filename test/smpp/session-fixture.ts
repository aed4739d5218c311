import { onTestFinished } from 'vitest'
import type { MalformedPdu } from '../../src/smpp/codec/decode-pdu.ts'
import type { IncomingPdu } from '../../src/smpp/session/deliveries.ts'
import type { AckState } from '../../src/smpp/session/ack-state.ts'
import { type OpenSocket, socketTo } from '../../src/smpp/session/open-socket.ts'
import type { MessageFields, Pdu } from '../../src/smpp/codec/pdu.ts'
import type { LateAnswer } from '../../src/smpp/session/request-outcome.ts'
import type { SessionEvents } from '../../src/connectors/smpp/session/session-events.ts'
import { defaultSessionLimits } from '../../src/smpp/session/session-limits.ts'
import type { SessionSettings } from '../../src/connectors/smpp/session/session-settings.ts'
import { Session } from '../../src/connectors/smpp/session/session.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'
import { type Answering, startStubSmsc, type StubSmsc } from './stub-smsc.ts'

export interface SessionUnderTest {
  session: Session
  smsc: StubSmsc
  clock: StubClock
  late: LateAnswer[]
  odd: (Pdu | MalformedPdu)[]
  stored: IncomingPdu[]
}

interface Options {
  answering?: Answering
  settings?: Partial<SessionSettings>
  firstSequence?: number
  store?: (delivery: IncomingPdu, ackState: AckState) => Promise<void>
  open?: (smsc: StubSmsc) => OpenSocket
  trace?: SessionEvents['trace']
  odd?: (session: Session) => void
  mayWrite?: () => boolean
}

/** A session with a stub SMSC over loopback and a clock that the test turns. Both are gone when the test is over. */
export async function startSession(options: Options = {}): Promise<SessionUnderTest> {
  const smsc = await startStubSmsc(options.answering)
  const clock = createStubClock()
  const [late, odd, stored]: [LateAnswer[], (Pdu | MalformedPdu)[], IncomingPdu[]] = [[], [], []]
  const session: Session = new Session(
    {
      tools: { ...clock, ...(options.mayWrite && { mayWrite: options.mayWrite }) },
      open: options.open?.(smsc) ?? socketTo({ host: '127.0.0.1', port: smsc.port, tls: null }),
      events: {
        store: async (delivery, ackState) => {
          await options.store?.(delivery, ackState)
          stored.push(delivery)
        },
        late: (answer) => void late.push(answer),
        room: () => undefined,
        odd: (pdu) => {
          odd.push(pdu)
          options.odd?.(session)
        },
        ...(options.trace && { trace: options.trace }),
      },
      ...(options.firstSequence !== undefined && { firstSequence: options.firstSequence }),
    },
    { ...defaultSessionLimits, bindAs: 'transceiver', bind: bindFields, ...options.settings },
  )
  onTestFinished(async () => {
    session.abort('the test is over')
    await smsc[Symbol.asyncDispose]()
  })
  return { session, smsc, clock, late, odd, stored }
}

/** The same, bound. */
export async function bindSession(options: Options = {}): Promise<SessionUnderTest> {
  const started = await startSession(options)
  const outcome = await started.session.open()
  if (outcome.kind === 'failed') throw new Error(`the session was not bound: ${outcome.end.kind}`)
  return started
}

export const bindFields = {
  systemId: 'esme',
  password: 'secret',
  systemType: '',
  interfaceVersion: 0x34,
  addressRange: { ton: 0, npi: 0, address: '' },
}

export const message: MessageFields = {
  serviceType: '',
  source: { ton: 5, npi: 0, address: 'onesixty' },
  destination: { ton: 1, npi: 1, address: '491701234567' },
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '',
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: Buffer.from('hello'),
  tlvs: [],
}

let roundTrips = 0

/** Waits until the session has taken everything that the SMSC sent before. */
export async function roundTrip(smsc: StubSmsc): Promise<void> {
  const sequence = 0x6000_0000 + ++roundTrips
  smsc.send({ command: 'enquire_link', status: 0, sequence, body: null })
  await smsc.until(() =>
    smsc.received.some((pdu) => pdu.command === 'enquire_link_resp' && pdu.sequence === sequence),
  )
}

/** Lets the event loop turn so many times. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets an answering keep silent to a command. */
export const silentTo =
  (...commands: string[]): Answering =>
  (pdu) =>
    commands.includes(pdu.command) ? [] : null

/** A message from the SMSC. */
export const delivery = (sequence: number, changes: Partial<MessageFields> = {}): Pdu => ({
  command: 'deliver_sm',
  status: 0,
  sequence,
  body: { ...message, ...changes },
})

/** The refusal of a command as such. */
export const nack = (sequence: number): Pdu => ({ command: 'generic_nack', status: 8, sequence, body: null })
