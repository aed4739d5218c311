/** The states of the app, by the names that it reports. */
export type PhoneState = 'Pending' | 'Cancelled' | 'Processed' | 'Sent' | 'Delivered' | 'Failed'

export interface StoredRecipient {
  /** As the server gave it. */
  phoneNumber: string
  state: PhoneState
  error: string | null
}

export interface StoredMessage {
  id: string
  /** Which server it came from: only those of its cloud are reported there, only those of its own are listed here. */
  source: 'Cloud' | 'Local'
  text: string | null
  data: { data: string; port: number } | null
  simNumber: number | null
  withDeliveryReport: boolean
  priority: number
  createdAtMs: number
  scheduleAtMs: number | null
  validUntilMs: number | null
  recipients: StoredRecipient[]
  /** When the message was first in each state, by the phone's clock. */
  states: Partial<Record<PhoneState, number>>
}

/** What stands in the body of a report. */
export interface Snapshot {
  id: string
  state: PhoneState
  recipients: { phoneNumber: string; state: PhoneState; error?: string }[]
  states: Record<string, string>
}

export interface MessageStoreHouse {
  now(): number
  /** A recipient has got another state. */
  changed(message: StoredMessage, recipient: StoredRecipient): void
}

/** The phone's own table of messages: an id that stands in it is never sent again. */
export class MessageStore {
  readonly #house: MessageStoreHouse
  readonly #messages = new Map<string, StoredMessage>()

  constructor(house: MessageStoreHouse) {
    this.#house = house
  }

  get(id: string): StoredMessage | null {
    return this.#messages.get(id) ?? null
  }

  all(): StoredMessage[] {
    return [...this.#messages.values()]
  }

  /** Throws when a recipient stands in it twice: then nothing of it is stored. */
  insert(message: StoredMessage): void {
    const numbers = message.recipients.map(({ phoneNumber }) => dialled(phoneNumber))
    if (numbers.length === 0) throw new Error('No recipients')
    if (new Set(numbers).size < numbers.length) throw new Error('UNIQUE constraint failed: messageRecipient')
    message.states.Pending = this.#house.now()
    this.#messages.set(message.id, message)
  }

  /** Only Failed stays whatever comes; all else is written over, also backwards. */
  move(message: StoredMessage, recipient: StoredRecipient, state: PhoneState, error: string | null): void {
    if (recipient.state === 'Failed') return
    recipient.state = state
    recipient.error = error
    message.states[stateOf(message)] ??= this.#house.now()
    this.#house.changed(message, recipient)
  }

  /** Cancels what has not been handed to the radio. */
  cancel(message: StoredMessage): void {
    for (const recipient of message.recipients) {
      if (recipient.state === 'Pending') this.move(message, recipient, 'Cancelled', null)
    }
  }
}

/** The state of a message of several recipients. */
export function stateOf({ recipients }: StoredMessage): PhoneState {
  const states = recipients.map(({ state }) => state)
  for (const state of ['Pending', 'Cancelled', 'Processed'] as const) {
    if (states.includes(state)) return state
  }
  for (const state of ['Failed', 'Delivered'] as const) {
    if (states.every((other) => other === state)) return state
  }
  return 'Sent'
}

export const snapshotOf = (message: StoredMessage, writeDate: (atMs: number) => string): Snapshot => ({
  id: message.id,
  state: stateOf(message),
  recipients: message.recipients.map(({ phoneNumber, state, error }) => ({
    phoneNumber,
    state,
    ...(error === null ? {} : { error }),
  })),
  states: Object.fromEntries(Object.entries(message.states).map(([state, at]) => [state, writeDate(at)])),
})

/** What the app leaves of a number before it dials: digits and `+ * #`. */
export const dialled = (phoneNumber: string): string => phoneNumber.replaceAll(/[^\d+*#]/g, '')
