import { randomBytes } from 'node:crypto'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import type { SecretBox } from '../runtime/secret-box.ts'
import { QuietHoursCache } from '../dispatch/submissions/quiet-hours-cache.ts'
import { UnparsedNotes } from '../dispatch/devices/unparsed-notes.ts'
import type { Ids } from '../runtime/ids.ts'
import type { InstanceSecret } from '../runtime/derived-keys.ts'
import type { Log } from '../process/log.ts'
import { ChangeHints } from '../messages/core/change-hints.ts'
import { OptOutCache } from '../messages/opt-outs/opt-out-cache.ts'
import { createNumberHash } from '../numbers/number-hash.ts'
import type { HotUnits } from '../messages/units.ts'
import { createMetrics, type Metrics } from '../process/metrics.ts'
import { SharedCounts } from '../runtime/shared-counts.ts'
import type { Storage } from '../storage/seam/storage.ts'
import type { Db } from '../storage/seam/dialect.ts'
import type { EpochStart } from '../storage/instance/epoch.ts'
import type { ProgressFile } from '../storage/instance/epoch-file.ts'
import type { Writer } from '../storage/seam/writer.ts'
import type { Times } from '../runtime/times.ts'
import type { PhoneCertificate } from '../certificates/certificate-store.ts'
import { readListenerCertificate } from '../certificates/listener-certificate.ts'
import type { FoundPorts } from '../connectors/connector-tools.ts'
import type { OwnNetworks } from '../connectors/own-networks.ts'
import { createTryAddress, type TryAddress } from '../reach/own-reach.ts'
import { readTlsFiles, type TlsFiles } from '../process/tls-files.ts'

/** The shared parts of the program. */
export interface Wiring {
  /** This server among the nodes of its database. */
  node: { epoch: number; name: string; isAlone: boolean; tidies: boolean }
  config: Config
  log: Log
  clock: Clock
  ids: Ids
  metrics: Metrics
  storage: Storage<HotUnits>
  read: Db
  writer: Writer
  secret: InstanceSecret
  secretBox: SecretBox
  changes: ChangeHints
  /** Counts of limits that the nodes share. */
  counts: SharedCounts
  optOuts: OptOutCache
  quiet: QuietHoursCache
  /** Unreadable input of devices. */
  unparsed: UnparsedNotes
  epoch: EpochStart
  /** The progress of the database, stored next to it in a file. */
  progress: ProgressFile
  tls: TlsFiles | null
  /** The certificate of the second listener; null without one. */
  phoneCertificate: PhoneCertificate | null
  tryAddress: TryAddress
  networks: () => OwnNetworks
  serialPorts: () => Promise<FoundPorts>
  times: Times
  /** False while this process starts or stops. */
  lifecycle: { ready: boolean }
}

/** Parts that exist once the database is open, in start order; all others are built from them. */
type Opened = Pick<
  Wiring,
  | 'node'
  | 'config'
  | 'log'
  | 'clock'
  | 'ids'
  | 'storage'
  | 'secret'
  | 'secretBox'
  | 'epoch'
  | 'progress'
  | 'times'
  | 'networks'
  | 'serialPorts'
>

/** Adds the parts that only cache and count. */
export async function createWiring(opened: Opened): Promise<Wiring> {
  const { log, clock, storage, secret, config } = opened
  const metrics = createMetrics(clock, log)
  return {
    ...opened,
    metrics,
    read: storage.read,
    writer: storage.writer,
    changes: new ChangeHints(),
    counts: new SharedCounts(),
    optOuts: new OptOutCache(storage.priorityRead, createNumberHash(secret)),
    quiet: new QuietHoursCache(storage.read),
    unparsed: new UnparsedNotes(clock, (deviceId, kind) => metrics.linkOf(deviceId).unparsed(kind)),
    tls: await readTlsFiles(config),
    phoneCertificate: await readListenerCertificate(config),
    tryAddress: await createTryAddress(config, { clock, secret, randomBytes }),
    lifecycle: { ready: false },
  }
}
