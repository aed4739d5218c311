import type { Inbound, Outcome, Receipt } from '../../connector.ts'
import type { Declaration } from '../declaration/declaration.ts'

/** The account that a hook belongs to, as it is stored; any node can read it. */
export interface CalledAccount {
  deviceId: string
  declaration: Declaration
  /** With the defaults of the declaration. */
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** What the routes of providers need from the service; `src/app/providers.ts` implements it. */
export interface ProviderPorts {
  /** Returns the account of a device; null if it has none any more. */
  account(deviceId: string): Promise<CalledAccount | null>
  /** The provider of a device called. */
  called(deviceId: string): void
  /** Settles when the receipt is stored. */
  receipt(deviceId: string, receipt: Receipt): Promise<void>
  /** Reports the outcome of an attempt of the device; ignored unless it had been unknown. */
  late(deviceId: string, attemptId: string, outcome: Outcome): Promise<void>
  /** Settles when the message is stored, and a STOP in it applied. */
  inbound(deviceId: string, inbound: Inbound): Promise<void>
  /** Returns the text at a public URL over HTTPS; null where it cannot be fetched. */
  fetchText(url: URL): Promise<string | null>
  /** Records something that could not be read. `form` has no number, text or name. */
  unparsed(deviceId: string, kind: 'word' | 'receipt' | 'rest', form: string): void
}
