import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InboundSms } from './at-modem/inbound-sms.ts'
import { type ModemRecord, readModemLog, type SubmitRecord } from './at-modem/modem-log.ts'
import type { ModemChange, ModemSettings } from './at-modem/modem-settings.ts'
import type { SimSettings } from './at-modem/sim-card.ts'
import type { ModemsBeginning, ModemStateView } from './at-modem-peer.ts'
import { type PeerProcess, startPeerProcess } from './peer-process.ts'

type RecordOf<Kind extends ModemRecord['kind']> = Extract<ModemRecord, { kind: Kind }>

/**
 * One emulated modem as tests see and command it. Faults are of two sorts. Those that last are settings (`set`, at-modem/modem-settings.ts):
 *
 * - no prompt, a late one, an error in its place: `submit.prompt`, `submit.promptDelayMs`
 * - noise inside an answer: `line.noise` · a cut at each byte: `line.cut` · small pieces: `line.chunkBytes` · silence: `line.silence`
 * - a code with or without taking the PDU, silence, a reset, a cut, a late or held answer in place of `+CMGS`: `submit.rules`, `submit.answerDelayMs`
 * - the report before `+CMGS`, another TP-MR or TP-RA in it, several, none: `reports.rules` · TP-MR always 0 or about to wrap: `submit.reference`,
 *   `submit.firstReference`
 * - full memories: `storage.sizes` · one memory under two names: `storage.isOne` · `+CMTI` lost or `,-1`: `indications.cmti`
 * - any other answer to any command: `answers.rules`
 *
 * Those that happen once are the methods below.
 */
export interface AtModemControl {
  host: string
  port: number
  /** As `tcp://host:port`. */
  address: string
  /** Changes how it behaves, from the next byte on; sections and settings that are not named stay. */
  set(change: ModemChange): Promise<ModemSettings>
  state(): Promise<ModemStateView>
  /** Power off and on, with or without the end of the connection; lines that it says as it boots are in `identity.bootLines`. */
  reset(line?: 'stays' | 'fin' | 'rst'): Promise<void>
  /** Ends the connection; the modem knows nothing of it unless `line.atHangUp` says so. */
  hangUp(how?: 'fin' | 'rst'): Promise<boolean>
  /** Writes bytes to the line as they are: garbage, half a line. */
  raw(bytes: Uint8Array | string): Promise<void>
  /** Says lines that nobody asked for, also inside an answer. */
  say(...lines: string[]): Promise<void>
  /** Gives the SMSC an SMS for it. */
  receive(sms: InboundSms): Promise<void>
  /** Gives the SMSC a TPDU for it, hex, without an SMSC in front: what no sender writes. */
  receiveTpdu(tpdu: string, of?: 'sms' | 'report', dcs?: number): Promise<void>
  /** Ends the wait of a submit with `answer: 'held'`; false when none waits. */
  answerHeld(answer?: 'ok' | readonly string[]): Promise<boolean>
  /** Off by itself, with what it says before: `UNDER-VOLTAGE POWER DOWN` (stanleyhuangyc/Freematics 77). It is deaf until `reset`. */
  powerOff(...lines: string[]): Promise<void>
  /** CNMI is 0,0,0,0,0 again, without a word. */
  forgetIndications(): Promise<void>
  /** With lines that the modem says about it: `+CPIN: NOT READY`, `^SIMST:0`. */
  pullSim(...lines: string[]): Promise<void>
  insertSim(sim?: Partial<SimSettings>, ...lines: string[]): Promise<void>
  /** Changes the card that is in: `{ smsc: null }` for an SMSC that vanishes. */
  changeSim(sim: Partial<SimSettings>): Promise<void>
  /** Everything that was written down about it so far, oldest first; also after a kill. */
  records(): ModemRecord[]
  /** The oracle: each PDU that came, and whether the SMSC has it. */
  submits(): SubmitRecord[]
  taken(): SubmitRecord[]
  /** Command lines as it understood them. */
  commands(): string[]
  recordsOf<Kind extends ModemRecord['kind']>(kind: Kind): RecordOf<Kind>[]
}

export interface AtModems {
  pid: number
  logFile: string
  list: readonly AtModemControl[]
  /** Starts one more modem in the same process, with the IMEI and the card of a first one. */
  add(options?: Pick<AtModemOptions, 'profile' | 'settings' | 'sim'>): Promise<AtModemControl>
  /** Moves a stub clock, and runs what falls due; gives how long it is until the next, null without one. */
  advance(ms: number): Promise<number | null>
  /** Processor time of the emulator. */
  cpuMs(): Promise<number>
  /** Ends it as a power cut would, and leaves the log. */
  kill(): Promise<void>
  /** Ends it, and removes the log if it was in a folder of its own. */
  stop(): Promise<void>
}

export interface AtModemOptions extends Partial<ModemsBeginning> {
  /** A new file in a temporary folder without. It is appended to. */
  logFile?: string
}

const program = join(import.meta.dirname, 'at-modem-peer.ts')

/** Starts modems in a process of their own; settles when all listen. */
export async function startAtModems({
  logFile: given,
  ...beginning
}: AtModemOptions = {}): Promise<AtModems> {
  const folder = given === undefined ? await mkdtemp(join(tmpdir(), 'onesixty-modem-')) : null
  const logFile = given ?? join(folder as string, 'modem.ndjson')
  const args = ['--log', logFile, '--beginning', JSON.stringify(beginning)]
  const peer = await startPeerProcess<{ ports: number[] }>(program, args)
  return {
    pid: peer.pid,
    logFile,
    list: peer.ready.ports.map((port, modem) => createControl(peer, logFile, port, modem)),
    async add(options = {}) {
      const { modem, port } = await peer.call<{ modem: number; port: number }>('add', options)
      return createControl(peer, logFile, port, modem)
    },
    advance: (ms) => peer.call('advance', { ms }),
    cpuMs: () => peer.call('cpu-ms'),
    kill: peer.kill,
    async stop() {
      await peer.kill()
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts one modem; what ends the process is next to what commands the modem. */
export async function startAtModem(
  options: Omit<AtModemOptions, 'count'> = {},
): Promise<AtModemControl & Omit<AtModems, 'list' | 'add'>> {
  // prettier-ignore
  const { list, add: _add, ...process } = await startAtModems({ ...options, count: 1 })
  return { ...(list[0] as AtModemControl), ...process }
}

function createControl(
  peer: PeerProcess<unknown>,
  logFile: string,
  port: number,
  modem: number,
): AtModemControl {
  const order = <T>(operation: string, more: object = {}): Promise<T> =>
    peer.call(operation, { modem, ...more })
  const records = (): ModemRecord[] => readModemLog(logFile).filter((record) => record.modem === modem)
  const recordsOf = <Kind extends ModemRecord['kind']>(kind: Kind): RecordOf<Kind>[] =>
    records().filter((record): record is RecordOf<Kind> => record.kind === kind)
  return {
    host: '127.0.0.1',
    port,
    address: `tcp://127.0.0.1:${port}`,
    set: (change) => order('set', { change }),
    state: () => order('state'),
    reset: (line = 'stays') => order('reset', { line }),
    hangUp: (how = 'fin') => order('hang-up', { how }),
    raw: (bytes) => order('raw', { hex: Buffer.from(bytes as string).toString('hex') }),
    say: (...lines) => order('say', { lines }),
    receive: (sms) => order('receive', { sms }),
    receiveTpdu: (tpdu, of = 'sms', dcs = 0) => order('receive-tpdu', { of, tpdu, dcs }),
    answerHeld: (answer = 'ok') => order('answer-held', { answer }),
    powerOff: (...lines) => order('power-off', { lines }),
    forgetIndications: () => order('forget-indications'),
    pullSim: (...lines) => order('pull-sim', { lines }),
    insertSim: (sim = {}, ...lines) => order('insert-sim', { sim, lines }),
    changeSim: (sim) => order('change-sim', { sim }),
    records,
    submits: () => recordsOf('submit'),
    taken: () => recordsOf('submit').filter(({ taken }) => taken),
    commands: () => recordsOf('command').map(({ command }) => command),
    recordsOf,
  }
}
