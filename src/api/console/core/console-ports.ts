import type { SecretBox } from '../../../runtime/secret-box.ts'
import type { ConsentChanges } from '../../../messages/opt-outs/opt-out-cache.ts'
import type { NumberHash } from '../../../numbers/number-hash.ts'
import type { Tx } from '../../../storage/seam/dialect.ts'
import type { AccountLimits } from '../../../sending/account-limits.ts'
import type { Sender } from '../../../sending/sender.ts'
import type { AddressTries } from './address-tries.ts'
import type { DeviceTrials } from './device-trials.ts'
import type { PhoneSearches } from './phone-searches.ts'
import type { ExportSlots } from './export-slots.ts'
import type { SystemHealth } from './system-health.ts'
import type { IdentityLimits } from './identity-limits.ts'
import type { ExplainedStage } from '../../../dispatch/routes/explain-route.ts'
import type { MessageRow } from '../../../messages/core/message-store.ts'
import type { Mailer } from '../../../process/mailer.ts'
import type { FoundPorts } from '../../../connectors/connector-tools.ts'
import type { ProviderAddresses } from '../../../connectors/providers.ts'
import type { OwnNetworks } from '../../../connectors/own-networks.ts'
import type { AddressGuard } from '../../../outgoing/address-guard.ts'
import type { Outgoing } from '../../../outgoing/create-outgoing.ts'

/** Dependencies of console calls on dispatch and sending; filled in `console.ts`. */
export interface ConsolePorts {
  history: HistoryPorts
  devices: DevicePorts
  /** The send operation with its state between requests, shared by console and API. */
  sender: Sender
  /** Rate limits of accounts, shared by console and API. */
  limits: Pick<AccountLimits, 'check'>
  /** Measures the instance, for the operator. */
  health: () => Promise<SystemHealth>
  identity: IdentityPorts
  webhooks: {
    /** Seals the secrets of endpoints. */
    secretBox: SecretBox
    /** Decides which URLs endpoints can have. */
    guard: AddressGuard
  }
}

export interface DevicePorts {
  /** Seals the passwords of SMPP connections. */
  secretBox: SecretBox
  trials: DeviceTrials
  /** Connects to the address of phones as a phone does. */
  addressTries: AddressTries
  searches: PhoneSearches
  /** The networks of this machine, whose addresses are asked. */
  networks: () => OwnNetworks
  /** The serial ports of this machine, by its files. */
  serialPorts: () => Promise<FoundPorts>
  /** How the hosts of providers are reached. */
  outgoing: Outgoing
  /** Returns where the provider of a device calls; null without a public address, and for a device without a provider. */
  addressesOf(deviceId: string, settings: Readonly<Record<string, string>>): ProviderAddresses | null
}

export interface HistoryPorts {
  /** Seals the cursors of pages; at least 32 random bytes. */
  cursorKey: Uint8Array
  exports: ExportSlots
  /** Hashes of erased numbers. */
  numbers: NumberHash
  /** See `Storage.emptyLog`. */
  emptyLog(): Promise<boolean | null>
  /** See `OptOutCache.note`. */
  noteOptOuts(stored: ConsentChanges): void
  /** Explains over which devices a queued message goes now; `routeKey`: the route on which it waits, null when that is not known. */
  explain(message: MessageRow, routeKey: string | null): Promise<ExplainedStage[]>
  /** Notifies a phone of a recall. */
  wakeDevice(deviceId: string): void
}

export interface IdentityPorts {
  limits: IdentityLimits
  /** Signs passkey challenges; at least 32 random bytes. */
  passkeyKey: Uint8Array
  /** Signs the cookies of browsers that have signed in; at least 32 random bytes. */
  browserKey: Uint8Array
  /** Null without `ONESIXTY_SMTP_URL`: users are then shown links to copy. */
  mailer: Mailer | null
  /**
   * Creates an account with owner, wallets and first keys. Refuses an address that a user has already,
   * without the ID of that user.
   */
  openAccount(
    tx: Tx,
    nowMs: number,
    account: { name: string; email: string; userId?: string; actor: string },
  ): Promise<{ accountId: string; userId: string; liveKey: string; testKey: string }>
}
