import type { SecretBox } from '../../../runtime/secret-box.ts'
import type { ConsentChanges } from '../../../messages/opt-outs/opt-outs.ts'
import type { HistoryDeps } from '../../../messages/history/history.ts'
import type { WriteHorizon } from '../../../messages/history/history-horizon.ts'
import type { NumberHash } from '../../../numbers/number-hash.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { AccountLimits } from '../../../sending/account-limits.ts'
import type { Sender } from '../../../sending/sender.ts'
import type { DeviceTrials } from './device-trials.ts'
import type { ExportSlots } from './export-slots.ts'
import type { SystemHealth } from './system-health.ts'
import type { IdentityLimits } from './identity-limits.ts'
import type { Mailer } from '../../../process/mailer.ts'
import type { AddressGuard } from '../../../webhooks/address-guard.ts'

/** What calls of the console need of the parts that dispatch and send; one member a noun, filled in `console.ts`. */
export interface ConsolePorts {
  history: HistoryPorts
  devices: DevicePorts
  /** The sending operation, with what it remembers between requests: people and programs share it. */
  sender: Sender
  /** How often an account may send; people and programs share that too. */
  limits: Pick<AccountLimits, 'check'>
  /** Measures the instance, for the operator. */
  health: () => Promise<SystemHealth>
  identity: IdentityPorts
  webhooks: {
    /** Seals the secrets of endpoints. */
    secretBox: SecretBox
    /** Says where endpoints may be. */
    guard: AddressGuard
  }
}

export interface DevicePorts {
  /** Seals the passwords of links. */
  secretBox: SecretBox
  trials: DeviceTrials
}

export interface HistoryPorts extends Pick<HistoryDeps, 'safeHorizonMs'> {
  /** Seals the cursors of pages; at least 32 random bytes. */
  cursorKey: Uint8Array
  /** Runs a write whose rows carry times from `atMs` on, which is now, so that no page passes by them. */
  holdHorizon: WriteHorizon['hold']
  exports: ExportSlots
  /** Stands for numbers that are erased. */
  numbers: NumberHash
  /** See `Storage.emptyLog`. */
  emptyLog(): Promise<boolean | null>
  /** See `OptOuts.note`. */
  noteOptOuts(stored: ConsentChanges): void
  /** Tells a phone that it is asked for something. */
  wakeDevice(deviceId: string): void
}

export interface IdentityPorts {
  limits: IdentityLimits
  /** Signs what authenticators are asked; at least 32 random bytes. */
  passkeyKey: Uint8Array
  /** Signs the cookies of browsers that have signed in; at least 32 random bytes. */
  browserKey: Uint8Array
  /** Null without `ONESIXTY_SMTP_URL`: then people are shown links to copy. */
  mailer: Mailer | null
  /** Makes an account with owner, wallets and first keys. An address that a user has is refused unless that user is named. */
  openAccount(
    tx: Tx,
    nowMs: number,
    account: { name: string; email: string; userId?: string; actor: string },
  ): Promise<{ accountId: string; userId: string; liveKey: string; testKey: string }>
}
