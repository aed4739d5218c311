import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../config.ts'
import type { SecretBox } from '../devices/secret-box.ts'
import type { QuietAccounts } from '../dispatch/quiet-accounts.ts'
import type { UnreadNotes } from '../dispatch/unread-notes.ts'
import type { Ids } from '../runtime/ids.ts'
import type { InstanceSecret } from '../runtime/derived-keys.ts'
import type { Log } from '../process/log.ts'
import type { AccountChanges } from '../messages/account-changes.ts'
import type { WriteHorizon } from '../messages/history-horizon.ts'
import type { OptOuts } from '../messages/opt-outs.ts'
import type { HotUnits } from '../messages/units.ts'
import type { Metrics } from '../process/metrics.ts'
import type { SharedCounts } from '../runtime/shared-counts.ts'
import type { Storage } from '../storage/database.ts'
import type { Db } from '../storage/dialect.ts'
import type { EpochStart } from '../storage/epoch.ts'
import type { ProgressFile } from '../storage/epoch-file.ts'
import type { Writer } from '../storage/writer.ts'
import type { Times } from '../runtime/times.ts'
import type { TlsFiles } from '../process/tls-files.ts'

/** What everything is built of. */
export interface Wiring {
  /** This server among those of its database. */
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
  horizon: WriteHorizon
  changes: AccountChanges
  /** Counts of limits, which the nodes keep together. */
  counts: SharedCounts
  optOuts: OptOuts
  quiet: QuietAccounts
  /** What devices sent and nobody could read. */
  unread: UnreadNotes
  epoch: EpochStart
  /** What is beside the database of how far it is. */
  progress: ProgressFile
  tls: TlsFiles | null
  times: Times
  /** Whether this process wants requests. */
  lifecycle: { ready: boolean }
}
