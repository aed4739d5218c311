/** Maximum parts of a message, over any device. */
export const maxPartsOfMessage = 10

/** What a device can ever carry, regardless of its health. */
export interface Carrying {
  /** Senders it may use; `*` means any. */
  senders: ReadonlySet<string>
  /** Its sender can be chosen; otherwise it sends under its own numbers, regardless of `senders`. */
  alphanumericSender: boolean
  /** Its encoding can be chosen; otherwise it chooses by the text. */
  choosesEncoding: boolean
  /** Maximum parts of a message. */
  maxParts: number
}

/** What decides whether a device can carry a message. */
export interface Carried {
  /** Null: any. */
  sender: string | null
  encodingForced: boolean
}

/** Returns whether a device may use a sender; any device may where none is named. */
const canUseSender = (
  { senders, alphanumericSender }: Pick<Carrying, 'senders' | 'alphanumericSender'>,
  sender: string | null,
): boolean =>
  sender === null ||
  (alphanumericSender
    ? senders.has(sender) || senders.has('*')
    : sender.startsWith('+') && senders.has(sender))

/** Returns whether a device can carry messages with this sender and encoding, of however many parts. */
export const canCarry = (device: Omit<Carrying, 'maxParts'>, { sender, encodingForced }: Carried): boolean =>
  canUseSender(device, sender) && (device.choosesEncoding || !encodingForced)

/**
 * The kinds of devices that send for real, by their names, with what their devices can carry. A kind that is not
 * among them is a simulator, or not known to this version.
 */
export type RealKinds = Readonly<Record<string, RealKind>>

export interface RealKind {
  maxParts: number
  alphanumericSender: boolean
  choosesEncoding: boolean
  /** The setting with which a device only receives. Omitted: each sends. */
  receivesOnly?: { setting: string; value: string }
}

/**
 * Returns whether what a device carries costs nothing in an account whose own devices are free: it belongs to an
 * account, and sends for real.
 */
export const isOwnCarrier = (
  { accountId, kind }: { accountId: string | null; kind: string },
  kinds: RealKinds,
): boolean => accountId !== null && Object.hasOwn(kinds, kind)
