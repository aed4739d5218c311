import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FakePhone } from './fake-phone/fake-phone.ts'
import type { InboundSms } from './fake-phone/inbox.ts'
import { defaultKnobs, type PhoneKnobs, turnKnobs } from './fake-phone/phone-knobs.ts'
import { createPhoneLog } from './fake-phone/phone-log.ts'
import type { PhoneView } from './fake-phone/phone-view.ts'
import type { SignUp } from './fake-phone/registration.ts'
import { servePeer } from './peer-process.ts'

/** How the phones of a process begin. */
export interface PhonesBeginning {
  baseUrl: string
  signUp: SignUp
  count: number
  seed: number
  /** The phones are switched on one after another in this time. */
  startOverMs: number
  knobs: Partial<PhoneKnobs>
  /** A CA that their users have installed. */
  caFile: string | null
}

/** One phone, or with null all of them. */
export interface OnPhone {
  phone: number | null
}

/**
 * Phones with the SMSGate app 1.68, made from a description of what it does and sharing nothing with the program. A process of its own for up to a
 * thousand of them, which writes down each SMS before it tells anybody that it went over the radio. Tests start it with
 * `startFakePhones` of fake-phone-control.ts.
 *
 *     node test/peers/fake-phone-peer.ts --log phones.ndjson --beginning '{"baseUrl":"http://127.0.0.1:8160/mobile/v1",…}'
 */
function main(): void {
  const { values } = parseArgs({ options: { log: { type: 'string' }, beginning: { type: 'string' } } })
  if (values.log === undefined || values.beginning === undefined)
    throw new Error('--log and --beginning are needed')
  const beginning = JSON.parse(values.beginning) as PhonesBeginning
  const { baseUrl, signUp, count, seed, startOverMs, caFile } = beginning
  const log = createPhoneLog(values.log)
  const knobs = turnKnobs(defaultKnobs, beginning.knobs)
  const ca = caFile === null ? null : readFileSync(caFile, 'utf8')
  const phones = Array.from(
    { length: count },
    (_, phone) =>
      new FakePhone({
        phone,
        baseUrl,
        signUp,
        knobs: { ...knobs, simCards: simsOf(knobs.simCards, phone) },
        seed: seed * 100_003 + phone,
        log,
        ca,
      }),
  )
  for (const [place, phone] of phones.entries()) setTimeout(() => phone.boot(), (startOverMs * place) / count)
  servePeer(createOperations(phones, log.flush), { count })
}

/** No two phones have the same SIM: what is told of one is all but the last four digits masked. */
const simsOf = (sims: PhoneKnobs['simCards'], phone: number): PhoneKnobs['simCards'] =>
  sims.map((sim) =>
    sim.iccid === undefined ? sim : { ...sim, iccid: String(BigInt(sim.iccid) + BigInt(phone)) },
  )

function createOperations(phones: readonly FakePhone[], flush: () => void) {
  const find = ({ phone }: OnPhone): readonly FakePhone[] => {
    if (phone === null) return phones
    const found = phones[phone]
    if (found === undefined) throw new Error(`There is no phone ${phone}.`)
    return [found]
  }
  const each = (on: OnPhone, act: (phone: FakePhone) => void): void => {
    for (const phone of find(on)) act(phone)
    flush()
  }
  return {
    set: (order: OnPhone & { change: Partial<PhoneKnobs> }) =>
      each(order, (phone) => phone.set(order.change)),
    offline: (order: OnPhone) => each(order, (phone) => phone.goOffline()),
    online: (order: OnPhone) => each(order, (phone) => phone.goOnline()),
    restart: (order: OnPhone) => each(order, (phone) => phone.restart()),
    'clear-data': (order: OnPhone) => each(order, (phone) => phone.clearData()),
    reinstall: (order: OnPhone) => each(order, (phone) => phone.reinstall()),
    'cut-streams': (order: OnPhone) => each(order, (phone) => phone.cutStreams()),
    'open-stream': (order: OnPhone) => each(order, (phone) => phone.openStream()),
    ping: (order: OnPhone) => each(order, (phone) => phone.ping()),
    push: (order: OnPhone & { event: string; data: string }) =>
      each(order, (phone) => phone.hear({ event: order.event, data: order.data })),
    receive: (order: OnPhone & { sms: InboundSms }) => each(order, (phone) => phone.receiveSms(order.sms)),
    call: (order: OnPhone & { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: unknown }) =>
      find(order)[0]?.call(order.method, order.path, order.body),
    views: (order: OnPhone): PhoneView[] => {
      flush()
      return find(order).map((phone) => phone.view())
    },
  }
}

if (import.meta.main) main()
