import type { ConnectorTools } from '../../src/connectors/connector-tools.ts'
import { Phone } from '../../src/connectors/android/phone.ts'
import type { Registration } from '../../src/connectors/android/ports.ts'
import { createStubClock, type StubClock } from '../stub-clock.ts'

/** The far end of an event stream. */
export interface StubStream {
  frames: string[]
  /** Names of the events among them. */
  events(): string[]
  pendingBytes: number
  ended: boolean
  close(): void
}

export interface StubbedPhone {
  phone: Phone
  clock: StubClock
  /** How often the service was told to look at its health anew. */
  changes(): number
  openStream(): StubStream
  contact(): void
}

export const registrationOf = (more: Partial<Registration> = {}): Registration => ({
  phoneId: 'phn_1',
  deviceId: 'dev_1',
  accountName: 'Ada',
  signingKey: 'a key of the house',
  hookSecret: 'hook-secret-1',
  appVersion: '1.68.0',
  usesPush: false,
  sims: [{ slot: 1, number: '*********1234', carrier: '*elco', iccid: null }],
  simNumbers: [],
  country: null,
  ...more,
})

export const toolsOf = (clock: StubClock): ConnectorTools => ({
  now: clock.now,
  monotonicMs: clock.monotonicMs,
  schedule: clock.schedule,
  random: () => 0.5,
  log: () => undefined,
})

export function createStubbedPhone(
  settings: Record<string, string> = {},
  registration = registrationOf(),
): StubbedPhone {
  const clock = createStubClock()
  let changes = 0
  const events = {
    receipt: async () => undefined,
    inbound: async () => undefined,
    lateOutcome: async () => undefined,
    healthChanged: () => void (changes += 1),
  }
  const phone = new Phone({ tools: toolsOf(clock), events }, settings)
  return {
    phone,
    clock,
    changes: () => changes,
    contact: () => phone.contact(registration, null),
    openStream() {
      const stream: StubStream = {
        frames: [],
        pendingBytes: 0,
        ended: false,
        close: () => undefined,
        events: () => stream.frames.flatMap((frame) => /^event: (\w+)\n/.exec(frame)?.[1] ?? []),
      }
      phone.contact(registration, null)
      stream.close = phone.openStream({
        write: (frame) => void stream.frames.push(frame),
        get pendingBytes() {
          return stream.pendingBytes
        },
        end: () => void (stream.ended = true),
        cut: () => void (stream.ended = true),
      })
      return stream
    },
  }
}
