import { ftruncateSync, openSync, readFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { parseArgs } from 'node:util'
import { type PeerOperations, servePeer } from './peer-process.ts'
import { pick, seededRandom } from './seeded-random.ts'
import { createDeliveries, type Deliveries, type Delivery } from './smsc/deliveries.ts'
import { type NpmPdu, npmSmpp, type NpmSession } from './smsc/npm-smpp.ts'
import { type PduFields, readFields } from './smsc/npm-smpp-server.ts'
import { type LinkHost, type RequestOutcome, SmscLink } from './smsc/smsc-link.ts'
import { createSmscLog } from './smsc/smsc-log.ts'
import { changeSettings, defaultSettings, type SmscChange, type SmscSettings } from './smsc/smsc-settings.ts'
import { createSubmitDesk, type SubmitDesk } from './smsc/submit-desk.ts'

/**
 * An SMSC that we did not write: the npm package `smpp` speaks, this file decides what it says. A process of its own, which
 * writes down each submit before it answers it: what stands in its log with `taken` was submitted, whatever became of the
 * process that submitted it. Tests start it with `startSmsc` of smsc-control.ts.
 *
 *     node test/peers/smsc-peer.ts --log smsc.ndjson [--port 0] [--seed 1] [--settings '{"submit":{"delayMs":20}}']
 *                                  [--tls-key key.pem --tls-cert cert.pem [--tls-ca ca.pem]]
 */
function main(): void {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      seed: { type: 'string', default: '1' },
      settings: { type: 'string', default: '{}' },
      'tls-key': { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-ca': { type: 'string' },
    },
  })
  if (values.log === undefined) throw new Error('--log needs a file')
  const log = openSync(values.log, 'a')
  const create = ({ seed, settings }: Beginning): Smsc =>
    createSmsc({ log, seed, settings: changeSettings(defaultSettings, settings) })
  const settings = JSON.parse(values.settings) as SmscChange
  const operations: PeerOperations = {}
  let smsc = create({ seed: Number(values.seed), settings })
  Object.assign(operations, smsc.operations, {
    renew(beginning: Beginning) {
      smsc.end()
      ftruncateSync(log)
      smsc = create(beginning)
      Object.assign(operations, smsc.operations)
    },
  })
  const server = createServer(values, (session) => smsc.accept(session))
  server.listen(Number(values.port), '127.0.0.1', () => {
    servePeer(operations, { port: (server.address() as AddressInfo).port })
  })
}

/** How an SMSC begins: without connections, messages or a log. */
export interface Beginning {
  seed: number
  settings: SmscChange
}

function createServer(files: Record<string, unknown>, accept: (session: NpmSession) => void): Server {
  const read = (name: string): string | null =>
    typeof files[name] === 'string' ? readFileSync(files[name], 'utf8') : null
  const key = read('tls-key')
  const cert = read('tls-cert')
  const ca = read('tls-ca')
  if (key === null || cert === null) return npmSmpp.createServer(accept)
  const clients = ca === null ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return npmSmpp.createServer({ key, cert, ...clients }, accept)
}

/** What `state` tells. */
export interface SmscState {
  /** Open connections, oldest first. */
  sessions: {
    session: number
    bindType: string | null
    systemId: string | null
    submits: number
    inFlight: number
    maxInFlight: number
    enquires: { sent: number; answered: number; received: number }
  }[]
  submits: number
  taken: number
  answered: number
  /** Submits whose answer is still to come. */
  waiting: number
  /** Receipts and messages that the ESME has not answered for good. */
  undelivered: number
  /** What the process has used so far, of all cores. */
  cpuMs: number
}

/** Names one session; without a name there must be only one. */
interface OnSession {
  session?: number
}

export interface DeliverOrder extends OnSession {
  command?: Delivery['command']
  fields: PduFields
}

interface Smsc {
  accept(session: NpmSession): void
  operations: PeerOperations
  end(): void
}

function createSmsc(options: { log: number; seed: number; settings: SmscSettings }): Smsc {
  let { settings } = options
  let sessions = 0
  const links = new Map<number, SmscLink>()
  const random = seededRandom(options.seed)
  const log = createSmscLog(options.log, (batch) => {
    for (const link of links.values()) link.cork()
    batch()
    for (const link of links.values()) link.uncork()
  })
  const deliveries = createDeliveries({ settings: () => settings.deliver, links: () => links.values(), log })
  const desk = createSubmitDesk({ settings: () => settings, log, random, deliveries })
  const host: LinkHost = {
    settings: () => settings,
    log,
    judgeBind: createBindJudge(
      () => settings,
      () => [...links.values()].filter(({ bindType }) => bindType !== null).length,
    ),
    bindDelayMs: () => pick(random, settings.bind.delayMs),
    onBound: () => deliveries.pump(),
    onSubmit: desk.submit,
    onQuery: desk.query,
    onClosed: (link) => links.delete(link.session),
  }
  return {
    accept(session) {
      sessions += 1
      links.set(sessions, new SmscLink(host, session, sessions))
    },
    operations: {
      ...createOperations({ links, deliveries, desk }),
      set(change: SmscChange) {
        settings = changeSettings(settings, change)
        deliveries.pump()
        return settings
      },
    },
    end() {
      log.close()
      for (const link of links.values()) link.cut('rst')
    },
  }
}

function createBindJudge(settings: () => SmscSettings, bound: () => number): (pdu: NpmPdu) => number {
  const refused = new WeakMap<object, number>()
  return (pdu) => {
    const { bind } = settings()
    const before = refused.get(bind) ?? 0
    if (bind.status !== 0 && before < (bind.refusals ?? Infinity)) {
      refused.set(bind, before + 1)
      return bind.status
    }
    if (bind.systemId !== null && pdu.system_id !== bind.systemId) return 0x0f
    if (bind.password !== null && pdu.password !== bind.password) return 0x0e
    return bound() >= (bind.maxBinds ?? Infinity) ? bind.statusWhenFull : 0
  }
}

interface OperationsHouse {
  links: ReadonlyMap<number, SmscLink>
  deliveries: Deliveries
  desk: SubmitDesk
}

function createOperations({ links, deliveries, desk }: OperationsHouse): PeerOperations {
  const find = ({ session }: OnSession): SmscLink => {
    const [only, ...others] = [...links.values()]
    if (session === undefined && others.length > 0) throw new Error('Which of the sessions?')
    const link = session === undefined ? only : links.get(session)
    if (link === undefined) throw new Error(`There is no session ${session ?? ''}.`)
    return link
  }
  return {
    state: (): SmscState => ({
      sessions: [...links.values()].map(
        ({ session, bindType, systemId, submits, inFlight, maxInFlight, enquires }) => ({ session, bindType, systemId, submits, inFlight, maxInFlight, enquires }), // prettier-ignore
      ),
      ...desk.counts,
      undelivered: deliveries.pending,
      cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
    }),
    deliver: ({ session, command = 'deliver_sm', fields }: DeliverOrder) =>
      new Promise<{ outcome: RequestOutcome; session: number }>((resolve) => {
        deliveries.add({
          command,
          fields: readFields(fields),
          session: session ?? null,
          where: session === undefined ? 'any' : 'same',
          messageId: null,
          stat: null,
          ended: (outcome, on) => resolve({ outcome, session: on }),
        })
      }),
    request: (order: OnSession & { command: string; fields: PduFields; withinMs: number }) =>
      new Promise<RequestOutcome>((resolve) => {
        const isSent = find(order).request(order.command, readFields(order.fields), order.withinMs, resolve)
        if (!isSent) resolve('closed')
      }),
    tell: (order: OnSession & { command: string; fields: PduFields }) =>
      find(order).tell(order.command, readFields(order.fields)),
    raw: (order: OnSession & { hex: string }) => find(order).raw(Buffer.from(order.hex, 'hex')),
    unbind: (order: OnSession) => find(order).unbind(),
    cut: (order: OnSession & { how: 'fin' | 'rst' }) => find(order).cut(order.how),
    pause: (order: OnSession) => find(order).pause(),
    resume: (order: OnSession) => find(order).resume(),
  }
}

if (import.meta.main) main()
