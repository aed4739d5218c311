import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InboundSms } from './fake-phone/inbox.ts'
import type { PhoneKnobs } from './fake-phone/phone-knobs.ts'
import { createPhoneLogReader, type NoteRecord, type PhoneRecord, type RadioRecord, type RequestRecord, type StreamRecord } from './fake-phone/phone-log.ts' // prettier-ignore
import type { PhoneAnswer } from './fake-phone/phone-network.ts'
import type { PhoneView } from './fake-phone/phone-view.ts'
import type { SignUp } from './fake-phone/registration.ts'
import type { PhonesBeginning } from './fake-phone-peer.ts'
import { type PeerProcess, startPeerProcess } from './peer-process.ts'

/** What can be done to one phone, or to all at once. What is read is everything so far, oldest first; also after a kill. */
export interface PhoneLever {
  set(change: Partial<PhoneKnobs>): Promise<void>
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  /** Stops and starts the app; what it has stored stays. */
  restart(): Promise<void>
  /** Removes the app and installs it anew: another registration, nothing known. */
  reinstall(): Promise<void>
  /** Removes what the app knows, as Android's settings do; the package stays. */
  clearData(): Promise<void>
  /** Ends its event streams as a proxy on the way would. */
  cutStreams(): Promise<void>
  /** Opens one more event stream. */
  openStream(): Promise<void>
  receiveSms(sms: InboundSms): Promise<void>
  /** A ping at once: its health to the webhooks, and a pull. */
  ping(): Promise<void>
  /** An event over Google's push. */
  push(event: string, data?: unknown): Promise<void>
  /** What went to the radio: which SMS, to whom, when, and how often. */
  radioLog(): RadioRecord[]
  /** With a part of the path: only those. */
  requests(method?: string, path?: string): RequestRecord[]
  streamLog(what?: StreamRecord['what']): StreamRecord[]
  notes(what?: NoteRecord['what']): NoteRecord[]
}

export interface FakePhoneControl extends PhoneLever {
  index: number
  view(): Promise<PhoneView>
  /** Any request with its token; gives the answer whatever it is. */
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<PhoneAnswer>
}

export interface FakePhones {
  pid: number
  logFile: string
  list: readonly FakePhoneControl[]
  all: PhoneLever
  /** By its place, from 0. */
  phone(index: number): FakePhoneControl
  set(change: Partial<PhoneKnobs>): Promise<void>
  receiveSms(phone: FakePhoneControl, sms: InboundSms): Promise<void>
  views(): Promise<PhoneView[]>
  /** Ends all phones as a power cut would, and leaves the log. What they had stored is gone. */
  kill(): Promise<void>
  /** Ends them, and removes the log if it was in a folder of its own. */
  stop(): Promise<void>
}

export interface FakePhonesOptions extends Partial<PhoneKnobs> {
  /** As a user types it into the app. */
  baseUrl: string
  /** Short for `signUp`; without both a phone registers anonymously. */
  privateToken?: string
  signUp?: SignUp
  count?: number
  seed?: number
  startOverMs?: number
  caFile?: string
  /** A command that runs the process of the phones, such as one that enters another network. */
  through?: readonly string[]
  /** A new file in a temporary folder without. It is appended to. */
  logFile?: string
}

const program = join(import.meta.dirname, 'fake-phone-peer.ts')

/** Starts phones in a process of their own; settles when they are switched on, which is before they have registered. */
export async function startFakePhones(options: FakePhonesOptions): Promise<FakePhones> {
  const {
    baseUrl,
    privateToken,
    signUp,
    count = 1,
    seed = 1,
    startOverMs = 0,
    caFile,
    through,
    logFile: given,
    ...knobs
  } = options
  const folder = given === undefined ? await mkdtemp(join(tmpdir(), 'onesixty-phones-')) : null
  const logFile = given ?? join(folder as string, 'phones.ndjson')
  const byToken: SignUp = privateToken === undefined ? { anonymous: true } : { privateToken }
  const beginning: PhonesBeginning = {
    baseUrl,
    signUp: signUp ?? byToken,
    count,
    seed,
    startOverMs,
    knobs,
    caFile: caFile ?? null,
  }
  const peer = await startPeerProcess(
    program,
    ['--log', logFile, '--beginning', JSON.stringify(beginning)],
    through,
  )
  const records = createPhoneLogReader(logFile)
  const list = Array.from({ length: count }, (_, phone) => createPhoneControl(peer, records, phone))
  const all = createLever(peer, records, null)
  return {
    pid: peer.pid,
    logFile,
    list,
    all,
    phone(index) {
      const found = list[index]
      if (found === undefined) throw new Error(`There is no phone ${index}.`)
      return found
    },
    set: all.set,
    receiveSms: (phone, sms) => phone.receiveSms(sms),
    views: () => peer.call('views', { phone: null }),
    kill: peer.kill,
    async stop() {
      await peer.kill()
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

type Peer = PeerProcess<unknown>

function createPhoneControl(
  peer: Peer,
  records: () => readonly PhoneRecord[],
  phone: number,
): FakePhoneControl {
  return {
    index: phone,
    ...createLever(peer, records, phone),
    view: async () => (await peer.call<[PhoneView]>('views', { phone }))[0],
    call: (method, path, body) => peer.call('call', { phone, method, path, body }),
  }
}

function createLever(peer: Peer, records: () => readonly PhoneRecord[], phone: number | null): PhoneLever {
  const read = <K extends PhoneRecord['kind']>(kind: K): Extract<PhoneRecord, { kind: K }>[] =>
    records().filter(
      (record): record is Extract<PhoneRecord, { kind: K }> =>
        record.kind === kind && (phone === null || record.phone === phone),
    )
  const order = (operation: string, more: object = {}): Promise<void> =>
    peer.call(operation, { phone, ...more })
  return {
    set: (change) => order('set', { change }),
    goOffline: () => order('offline'),
    goOnline: () => order('online'),
    restart: () => order('restart'),
    reinstall: () => order('reinstall'),
    clearData: () => order('clear-data'),
    cutStreams: () => order('cut-streams'),
    openStream: () => order('open-stream'),
    receiveSms: (sms) => order('receive', { sms }),
    ping: () => order('ping'),
    push: (event, data = null) => order('push', { event, data: JSON.stringify(data) }),
    radioLog: () => read('radio'),
    requests: (method, path = '') =>
      read('request').filter(
        (one) => (method === undefined || one.method === method) && one.path.includes(path),
      ),
    streamLog: (what) => read('stream').filter((one) => what === undefined || one.what === what),
    notes: (what) => read('note').filter((one) => what === undefined || one.what === what),
  }
}
