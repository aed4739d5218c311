import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPeerProcess } from './peer-process.ts'
import type { PduFields } from './smsc/npm-smpp-server.ts'
import type { RequestOutcome } from './smsc/smsc-link.ts'
import { type LinkRecord, readSmscLog, type SmscRecord, type SubmitRecord } from './smsc/smsc-log.ts'
import type { SmscChange, SmscSettings } from './smsc/smsc-settings.ts'
import type { Beginning, DeliverOrder, SmscState } from './smsc-peer.ts'

/** A running SMSC of a library that we did not write, as tests see and command it. `session` may be left out while there is one. */
export interface SmscControl {
  host: string
  port: number
  pid: number
  logFile: string
  /** Changes how it behaves, from the next PDU on; sections and settings that are not named stay. */
  set(change: SmscChange): Promise<SmscSettings>
  /** Begins anew on the same port: connections are reset, settings, ids and the log are as after a start. */
  renew(beginning?: Partial<Beginning>): Promise<void>
  state(): Promise<SmscState>
  /** Hands a message to the ESME, again if need be; settles with its last word on it. */
  deliver(order: DeliverOrder): Promise<{ outcome: RequestOutcome; session: number }>
  /** Sends any request once. */
  request(
    command: string,
    fields?: PduFields,
    options?: { session?: number; withinMs?: number },
  ): Promise<RequestOutcome>
  /** Sends what has no answer: outbind, alert_notification. False when the connection has ended. */
  tell(command: string, fields?: PduFields, session?: number): Promise<boolean>
  /** Writes bytes as they are. */
  raw(bytes: Uint8Array, session?: number): Promise<boolean>
  /** Unbinds as a well-behaved SMSC does; settles when the ESME has answered or is gone. */
  unbind(session?: number): Promise<RequestOutcome>
  cut(how: 'fin' | 'rst', session?: number): Promise<void>
  /** Stops reading; what the ESME sends piles up at its side. */
  pause(session?: number): Promise<void>
  resume(session?: number): Promise<void>
  /** Everything that it has written down so far, oldest first; also after it has ended. */
  records(): SmscRecord[]
  submits(): SubmitRecord[]
  links(what: LinkRecord['what']): LinkRecord[]
  /** Ends it as a crash would, and leaves the log. */
  kill(): Promise<void>
  /** Ends it, and removes the log if it was in a folder of its own. */
  stop(): Promise<void>
}

export interface SmscOptions {
  settings?: SmscChange
  /** Any free one without. The same as before is what an ESME sees of a restart; ids begin again, unless `ids.start` says where. */
  port?: number
  seed?: number
  /** A new file in a temporary folder without. It is appended to. */
  logFile?: string
  tls?: { keyFile: string; certFile: string; caFile?: string }
}

const program = join(import.meta.dirname, 'smsc-peer.ts')

/** Starts it in a process of its own on the loopback; settles when it listens. */
export async function startSmsc(options: SmscOptions = {}): Promise<SmscControl> {
  const folder = options.logFile === undefined ? await mkdtemp(join(tmpdir(), 'onesixty-smsc-')) : null
  const logFile = options.logFile ?? join(folder as string, 'smsc.ndjson')
  const { settings = {}, port = 0, seed = 1, tls } = options
  const tlsArgs =
    tls === undefined
      ? []
      : [
          '--tls-key',
          tls.keyFile,
          '--tls-cert',
          tls.certFile,
          ...(tls.caFile ? ['--tls-ca', tls.caFile] : []),
        ]
  const args = ['--log', logFile, '--port', `${port}`, '--seed', `${seed}`, '--settings', JSON.stringify(settings), ...tlsArgs] // prettier-ignore
  const peer = await startPeerProcess<{ port: number }>(program, args)
  const onSession = (session: number | undefined) => (session === undefined ? {} : { session })
  const records = (): SmscRecord[] => readSmscLog(logFile)
  return {
    host: '127.0.0.1',
    port: peer.ready.port,
    pid: peer.pid,
    logFile,
    set: (change) => peer.call('set', change),
    renew: ({ seed: newSeed = 1, settings: newSettings = {} } = {}) =>
      peer.call('renew', { seed: newSeed, settings: newSettings }),
    state: () => peer.call('state'),
    deliver: (order) => peer.call('deliver', order),
    request: (command, fields = {}, { withinMs = 5_000, session } = {}) =>
      peer.call('request', { command, fields, withinMs, ...onSession(session) }),
    tell: (command, fields = {}, session) => peer.call('tell', { command, fields, ...onSession(session) }),
    raw: (bytes, session) =>
      peer.call('raw', { hex: Buffer.from(bytes).toString('hex'), ...onSession(session) }),
    unbind: (session) => peer.call('unbind', onSession(session)),
    cut: (how, session) => peer.call('cut', { how, ...onSession(session) }),
    pause: (session) => peer.call('pause', onSession(session)),
    resume: (session) => peer.call('resume', onSession(session)),
    records,
    submits: () => records().filter((record) => record.kind === 'submit'),
    links: (what) =>
      records().filter((record) => record.kind === 'link' && record.what === what) as LinkRecord[],
    kill: peer.kill,
    async stop() {
      await peer.kill()
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}
