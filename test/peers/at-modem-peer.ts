import { once } from 'node:events'
import { openSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { AtModem } from './at-modem/at-modem.ts'
import { type InboundSms, inboundParts } from './at-modem/inbound-sms.ts'
import { createMachineClock, createStubClock, type ModemClock } from './at-modem/modem-clock.ts'
import { createModemLog } from './at-modem/modem-log.ts'
import { type ModemProfile, profileOf } from './at-modem/modem-profiles.ts'
import { changeModem, type ModemChange } from './at-modem/modem-settings.ts'
import { defaultSim, type SimSettings } from './at-modem/sim-card.ts'
import { servePeer } from './peer-process.ts'

/** How the modems of a process begin. */
export interface ModemsBeginning {
  count: number
  profile: ModemProfile
  settings: ModemChange
  /** Changes to the card of each; null for none in the slot. ICCID, IMSI and IMEI of the n-th are those of the first plus n. */
  sim: Partial<SimSettings> | null
  clock: 'machine' | 'stub'
  /** What a stub clock starts at. */
  startMs: number
  /** Of the first modem; 0 for any free ones. */
  port: number
}

/**
 * Emulated GSM modems, each on a TCP port of the loopback interface that carries its serial line as bytes, and the SMSC behind them. Written from 3GPP
 * TS 27.005, 27.007, 23.040 and ITU-T V.250, and sharing nothing with the program; drivers of other projects hold it true (test/modem/). A process of its
 * own, which writes down each PDU that it took before it answers: what its log has as `taken` was sent, whatever became of the process that sent it.
 *
 * Tests start it with `startAtModem` of at-modem-control.ts, which lists what can be done to it while it runs. By hand, to try a driver:
 *
 *     node test/peers/at-modem-peer.ts --log modem.ndjson --beginning '{"profile":"huawei","port":7001}'
 *     socat -d PTY,link=/tmp/tty,raw,echo=0 TCP:127.0.0.1:7001
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { log: { type: 'string' }, beginning: { type: 'string', default: '{}' } },
  })
  if (values.log === undefined) throw new Error('--log needs a file')
  const beginning = { ...defaultBeginning, ...(JSON.parse(values.beginning) as Partial<ModemsBeginning>) }
  const clock = beginning.clock === 'stub' ? createStubClock(beginning.startMs) : createMachineClock()
  const log = createModemLog(openSync(values.log, 'a'), clock.now)
  let submits = 0
  const modems: AtModem[] = []
  const add = async (
    begins: ModemsBeginning,
    numberedAs: number,
  ): Promise<{ modem: number; port: number }> => {
    const place = modems.length
    const { settings, sim } = settingsOf(begins, numberedAs)
    const modem = new AtModem({ modem: place, clock, log, settings, sim, nextSubmit: () => (submits += 1) })
    modems.push(modem)
    const server = serveLine(modem, (line) =>
      log.write({ kind: 'line', modem: place, what: line, detail: '' }),
    )
    server.listen(begins.port === 0 ? 0 : begins.port + place, '127.0.0.1')
    await once(server, 'listening')
    return { modem: place, port: (server.address() as AddressInfo).port }
  }
  const ports: number[] = []
  for (let place = 0; place < beginning.count; place++) ports.push((await add(beginning, place)).port)
  const more = (begins: Partial<ModemsBeginning>) => add({ ...beginning, port: 0, ...begins }, 0)
  servePeer({ ...createOperations(modems, clock), add: more }, { ports })
}

const defaultBeginning: ModemsBeginning = {
  count: 1,
  profile: 'generic',
  settings: {},
  sim: {},
  clock: 'machine',
  startMs: Date.parse('2026-11-21T09:30:00.000Z'),
  port: 0,
}

function settingsOf({ profile, settings, sim }: ModemsBeginning, modem: number) {
  const changed = changeModem(profileOf(profile), settings)
  const plus = (digits: string): string => String(BigInt(digits) + BigInt(modem)).padStart(digits.length, '0')
  const card = sim === null ? null : { ...defaultSim, ...sim }
  return {
    settings: { ...changed, identity: { ...changed.identity, imei: plus(changed.identity.imei) } },
    sim: card === null ? null : { ...card, iccid: plus(card.iccid), imsi: plus(card.imsi) },
  }
}

/** So long a line that is held may take to be let go: the end of a connection and the next one come in any order. */
const letGoMs = 100

function serveLine(modem: AtModem, note: (what: 'refused') => void): Server {
  return createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy())
    const isFree = (): boolean => !modem.line.isHeld || modem.settings.line.whenHeld === 'take'
    if (isFree()) {
      modem.line.connect(socket)
      return
    }
    setTimeout(() => {
      if (isFree()) modem.line.connect(socket)
      else {
        note('refused')
        // As ser2net says it.
        socket.end('Port already in use\r\n')
      }
    }, letGoMs)
  })
}

/** What `state` tells. */
export interface ModemStateView {
  isConnected: boolean
  isAtPrompt: boolean
  isEchoing: boolean
  isRegistered: boolean
  /** That went over the line so far, both ways. */
  octets: number
  cfun: number
  cnmi: number[]
  service: number
  /** What the SMSC still has for it. */
  waiting: number
  /** Places that are used. */
  used: Record<'SM' | 'ME' | 'SR', number>
  sim: SimSettings | null
}

interface OnModem {
  modem: number
}

function createOperations(modems: readonly AtModem[], clock: ModemClock) {
  const find = ({ modem }: OnModem): AtModem => {
    const found = modems[modem]
    if (found === undefined) throw new Error(`There is no modem ${modem}.`)
    return found
  }
  return {
    set: (order: OnModem & { change: ModemChange }) => find(order).change(order.change),
    state: (order: OnModem): ModemStateView => viewOf(find(order)),
    reset: (order: OnModem & { line: 'stays' | 'fin' | 'rst' }) => {
      if (order.line !== 'stays') find(order).line.hangUp(order.line)
      find(order).reset()
    },
    'hang-up': (order: OnModem & { how: 'fin' | 'rst' }) => find(order).line.hangUp(order.how),
    raw: (order: OnModem & { hex: string }) => find(order).line.raw(Buffer.from(order.hex, 'hex')),
    say: (order: OnModem & { lines: readonly string[] }) => find(order).line.tell(order.lines, true),
    receive: (order: OnModem & { sms: InboundSms }) => {
      const modem = find(order)
      const { offsetMinutes } = modem.settings.network
      for (const part of inboundParts(order.sms, clock.now(), offsetMinutes)) modem.arrivals.add(part)
    },
    'receive-tpdu': (order: OnModem & { of: 'sms' | 'report'; tpdu: string; dcs: number }) =>
      find(order).arrivals.add({ of: order.of, tpdu: order.tpdu, dcs: order.dcs, pid: 0, reference: null }),
    'answer-held': (order: OnModem & { answer: 'ok' | readonly string[] }) =>
      find(order).answerHeld(order.answer),
    'power-off': (order: OnModem & { lines: readonly string[] }) => find(order).powerOff(order.lines),
    'forget-indications': (order: OnModem) => {
      find(order).state.cnmi = [0, 0, 0, 0, 0]
    },
    'pull-sim': (order: OnModem & { lines: readonly string[] }) => find(order).changeCard(null, order.lines),
    'insert-sim': (order: OnModem & { sim: Partial<SimSettings>; lines: readonly string[] }) =>
      find(order).changeCard({ ...defaultSim, ...order.sim }, order.lines),
    'change-sim': (order: OnModem & { sim: Partial<SimSettings> }) => {
      const { card } = find(order)
      if (card === null) throw new Error('There is no SIM.')
      Object.assign(card.settings, order.sim)
    },
    advance: ({ ms }: { ms: number }) => clock.advance(ms),
    'cpu-ms': () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  }
}

function viewOf(modem: AtModem): ModemStateView {
  const { line, state, card } = modem
  const used = (name: 'SM' | 'ME' | 'SR'): number => modem.memory(name)?.used ?? 0
  return {
    isConnected: line.isHeld,
    isAtPrompt: line.isAtPrompt,
    isEchoing: line.isEchoing,
    isRegistered: modem.isRegistered,
    octets: line.octets,
    cfun: state.cfun,
    cnmi: state.cnmi,
    service: state.service,
    waiting: modem.arrivals.waiting,
    used: { SM: used('SM'), ME: used('ME'), SR: used('SR') },
    sim: card === null ? null : { ...card.settings },
  }
}

if (import.meta.main) await main()
