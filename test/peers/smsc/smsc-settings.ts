import { changeSections, type SectionChange } from '../change-sections.ts'
import type { Span } from '../seeded-random.ts'
import type { IdForm, IdSettings } from './message-ids.ts'
import { receiptForms } from './receipt-forms.ts'
import type { Match } from './rule-book.ts'

/** How the foreign SMSC behaves. Every section can be changed while it runs; what is not named in a change stays. */
export interface SmscSettings {
  bind: BindSettings
  submit: SubmitSettings
  ids: IdSettings
  receipts: ReceiptSettings
  deliver: DeliverSettings
  link: LinkSettings
}

export type SmscChange = SectionChange<SmscSettings>

export interface BindSettings {
  /** Who may bind; null is anybody. A wrong name is answered 0x0f, a wrong password 0x0e. */
  systemId: string | null
  password: string | null
  /** Answered to binds while it is not 0. */
  status: number
  /** How many binds get that status before it is 0 again; null is all. */
  refusals: number | null
  /** Sessions that may be bound at once; null is any number. */
  maxBinds: number | null
  /** Answered to a bind above that: 5 (already bound) or 0x0d (bind failed). */
  statusWhenFull: number
  delayMs: Span
  /** No answer to a bind at all. */
  silent: boolean
  /** Told in `sc_interface_version`; null leaves that TLV out, as 3.3 does. */
  interfaceVersion: number | null
}

/** What a submit is answered. The first rule that fits decides; without any it is taken with status 0. */
export interface SubmitRule extends Match {
  status?: number
  /**
   * `nack` is a generic_nack with the status; `twice` is the same answer again; `silence` is none; `cut` resets the connection
   * instead; `stray` is an answer with a sequence number that was never used.
   */
  how?: 'answer' | 'nack' | 'twice' | 'silence' | 'cut' | 'stray'
  /** Whether the SMSC has it, whatever it says. Without: after status 0, a silence or a cut. */
  taken?: boolean
  /** Instead of `delayMs` of the section. */
  delayMs?: Span
}

export interface SubmitSettings {
  delayMs: Span
  /** Submits a second, over all sessions, before `throttleStatus` is answered; null is any number. */
  throttlePerSecond: number | null
  /** What may come at once after a silence; null is a second's worth. */
  throttleBurst: number | null
  throttleStatus: number
  rules: readonly SubmitRule[]
  /** A refusal carries a body (an empty message id), which the standard leaves out and some SMSCs do not. */
  bodyOnError: boolean
}

/** What comes of a submit that was taken. The first rule that fits decides; without any it is `DELIVRD`. */
export interface ReceiptRule extends Match {
  /** One receipt for each, in this order: `['ENROUTE', 'DELIVRD']`. None: the receipt is dropped. */
  states: readonly string[]
  /** The `err` of the text. */
  err?: string
}

export interface ReceiptSettings {
  /** `asked` obeys registered_delivery. */
  when: 'asked' | 'always' | 'never'
  /** From when the delay counts. `submit` with a delay below that of the answer is a receipt before the response. */
  from: 'response' | 'submit'
  /** A range lets receipts overtake each other. */
  delayMs: Span
  /** The session of the submit (another one once that has ended), any but that one, or all in turn. */
  session: 'same' | 'other' | 'any'
  rules: readonly ReceiptRule[]
  /** How often each receipt is sent. */
  copies: number
  carrier: 'text' | 'tlv' | 'both'
  /** A template: see receipt-forms.ts. */
  form: string
  /** The bytes of the text: `ucs2` also says data_coding 8. */
  encoding: 'latin1' | 'utf8' | 'ucs2'
  /** 4 is a receipt; 0 is what some SMSCs leave. Intermediate states get 0x20 where this is 4. */
  esmClass: number
  command: 'deliver_sm' | 'data_sm'
  /** The text travels in the TLV message_payload. */
  inPayload: boolean
  trailingNul: boolean
  /** The bytes of the TLV network_error_code in hex; null leaves it out. */
  networkErrorCode: string | null
  /** The user_message_reference of the submit comes back. */
  echoReference: boolean
}

/** How deliver_sm PDUs, receipts and messages alike, are handed to the ESME. */
export interface DeliverSettings {
  /** Unanswered at once, for each session. */
  window: number
  answerWithinMs: number
  /** After an answer that says later (0x08, 0x14, 0x58, 0x64), or none. */
  retryAfterMs: number
  attempts: number
}

export interface LinkSettings {
  answerEnquire: boolean
  answerUnbind: boolean
  /** Its own enquire_link on each session; null is never. */
  enquireEveryMs: number | null
  /** One enquire_link as soon as the connection stands, before any bind. */
  enquireBeforeBind: boolean
}

const decimal: IdForm = { radix: 10 }

export const defaultSettings: SmscSettings = {
  bind: {
    systemId: null,
    password: null,
    status: 0,
    refusals: null,
    maxBinds: null,
    statusWhenFull: 5,
    delayMs: 0,
    silent: false,
    interfaceVersion: 0x34,
  },
  submit: {
    delayMs: 0,
    throttlePerSecond: null,
    throttleBurst: null,
    throttleStatus: 0x58,
    rules: [],
    bodyOnError: false,
  },
  ids: { start: '1', count: null, response: decimal, receipt: decimal },
  receipts: {
    when: 'asked',
    from: 'response',
    delayMs: 0,
    session: 'same',
    rules: [],
    copies: 1,
    carrier: 'text',
    form: receiptForms.standard,
    encoding: 'latin1',
    esmClass: 4,
    command: 'deliver_sm',
    inPayload: false,
    trailingNul: false,
    networkErrorCode: null,
    echoReference: false,
  },
  deliver: { window: 50, answerWithinMs: 10_000, retryAfterMs: 1_000, attempts: 20 },
  link: { answerEnquire: true, answerUnbind: true, enquireEveryMs: null, enquireBeforeBind: false },
}

/** Gives settings with a change in them; refuses names that there are not. */
export const changeSettings = (settings: SmscSettings, change: SmscChange): SmscSettings =>
  changeSections(settings, change)
