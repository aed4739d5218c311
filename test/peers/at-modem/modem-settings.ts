import { changeSections, type SectionChange } from '../change-sections.ts'

/**
 * How an emulated modem behaves. Sections are changed one setting at a time while it runs (`changeModem`); what a setting does is from 3GPP TS 27.005,
 * 27.007 and ITU-T V.250, and where it is an oddity of a modem, from the report that its comment names.
 */
export interface ModemSettings {
  line: LineSettings
  identity: IdentitySettings
  network: NetworkSettings
  storage: StorageSettings
  indications: IndicationSettings
  submit: SubmitSettings
  reports: ReportSettings
  ussd: UssdSettings
  /** The first that fits gives the answer to a command; the modem's own logic does not see it. */
  answers: { rules: readonly AnswerRule[] }
}

export type ModemChange = SectionChange<ModemSettings>

export interface LineSettings {
  /** After power on; ATE changes it. `always` echoes whatever ATE says, `twice` does so two times (faucamp/python-gsmmodem 56). */
  echo: 'on' | 'off' | 'always' | 'twice'
  /** Between lines. Huawei: CR CR LF. */
  lineEnd: '\r\n' | '\r\r\n' | '\n'
  /** Whether an answer begins with an empty line, as V.250 wants. */
  isLed: boolean
  /** What asks for a PDU. */
  prompt: string
  /** Of a command that it does not know. */
  unknownCommand: string
  /** `+CME ERROR: 58`, or `+CME ERROR:58` of an A6 (faucamp/python-gsmmodem 87). */
  errorForm: 'spaced' | 'tight'
  /** `hung` reads and does nothing; `mute` does all and writes nothing. */
  silence: 'none' | 'hung' | 'mute'
  /** Lines that nobody asked for, woven into answers: before, between the lines, in front of a PDU line, before the final one, after. */
  noise: { lines: readonly string[]; where: readonly NoisePlace[] } | null
  /** Writes in pieces of so many bytes, a turn of the event loop apart. */
  chunkBytes: number | null
  /** Ends the connection after so many bytes, counted from when it is set: once. */
  cut: { afterBytes: number; of: 'in' | 'out' | 'both'; how: 'fin' | 'rst' } | null
  /** What the end of a connection does to the modem: nothing on a serial line, `reset` for a stick that is pulled. */
  atHangUp: 'nothing' | 'leave-prompt' | 'reset'
  /** A second connection: refused as ser2net does, or it takes the line. */
  whenHeld: 'port-in-use' | 'take'
  /** Bytes that come earlier than this after an answer or an unsolicited line are lost (SIM800; zabsalahid/serialport-gsm 35). 0 for none. */
  deafMs: number
  /** Bytes that come while a command runs: kept, or lost as on modems without flow control. */
  whileBusy: 'kept' | 'lost'
  /** Each command waits so long before its answer. */
  answerDelayMs: number
  /** A NUL before each line, as some UARTs give after a change of speed. */
  hasNuls: boolean
}

export type NoisePlace = 'before' | 'between' | 'before-pdu' | 'before-final' | 'after'

export interface IdentitySettings {
  manufacturer: string
  model: string
  revision: string
  imei: string
  /** Which commands read the ICCID. */
  iccidBy: readonly ('+CCID' | '+QCCID' | '^ICCID' | '+CICCID' | '+ICCID' | '+ZICCID' | '+CRSM')[]
  /** Which command reads the tries left. */
  triesBy: readonly ('+CPINR' | '^CPIN' | '+QPINC' | '+SPIC')[]
  /** After power on, a reset and CFUN=1,1. */
  bootLines: readonly string[]
  /** SMS commands are refused so long after a boot. */
  readyAfterMs: number
  /** Said when it is ready for SMS. */
  readyLines: readonly string[]
  /** What works before the PIN: the usual few, or nothing but CPIN (Qualcomm M6280). */
  beforePin: 'usual' | 'only-cpin'
  /** `+CPIN:` without OK behind it (Wavecom). */
  isCpinWithoutOk: boolean
  /** CFUN after power on. */
  cfun: number
  /** Commands after `CFUN=1` that get CME 515 (Wavecom). */
  busyAfterCfun: number
}

export interface NetworkSettings {
  /** CREG, CGREG and CEREG; null for a command that it lacks. 1 home, 5 roaming, 0 none, 2 searching, 3 denied, 6 and 7 SMS only. */
  cs: number | null
  ps: number | null
  eps: number | null
  /** CSQ, 99 for unknown. */
  signal: number
  operator: string
  /** The number of the access technology in COPS. */
  technology: number
  /** After CFUN=1 it is registered again so much later. */
  registerAfterMs: number
  /** How long it tries again what the modem had no room or acknowledgement for. */
  retryMs: number
  /** `+CTZV`, `^NWTIME` and the like with it are noise; this is the zone of time stamps. */
  offsetMinutes: number
}

export interface StorageSettings {
  /** Places of each memory; one that is not named is not there. */
  sizes: Readonly<Partial<Record<MemoryName, number>>>
  /** SM and ME are one memory (gammu 217, 378). */
  isOne: boolean
  /** The answer to `CPMS=?`: groups of names, nested, or empty as on Nokia. */
  groups: 'three' | 'two' | 'nested' | 'empty' | 'refused'
  /** First index of a memory: 0 or 1. */
  firstIndex: 0 | 1
  /** An empty memory in CMGL: nothing, or CMS 321. */
  emptyList: 'nothing' | 'cms-321'
  /** An empty place in CMGR. */
  emptyPlace: 'cms-321' | 'bare-ok' | 'zero-length'
  /** CMGD of a place answers this once for each time, and deletes nothing. */
  refuseDeletes: number
  /** What is full is also said by such a line, `^SMMEMFULL:"SM"`. */
  fullLine: string | null
  /** Where a new SMS goes, whatever CPMS chose. */
  keptIn: MemoryName | null
  /** What the third group of CPMS takes, where it is less than the others (Cinterion MC75i, gammu 1206); null for all. */
  receivesInto: readonly MemoryName[] | null
  /** The name in `+CMGR: 0,…,25`, which is left out or empty in quotes (faucamp/python-gsmmodem 56). */
  alpha: '' | '""'
}

export type MemoryName = 'SM' | 'ME' | 'SR'

export interface IndicationSettings {
  /** The values that CNMI takes, for mode, mt, bm, ds and bfr; null for a modem without CNMI. */
  cnmi: readonly (readonly number[])[] | null
  /** Three values and more in a row: `(0-3)` as most write it, or `(0,1,2,3)`. */
  rangeForm: 'dash' | 'list'
  /** What CNMI has after power on. */
  cnmiAtStart: readonly number[]
  /** `CSMS=1` is taken. */
  hasService1: boolean
  /** How `+CMTI` comes: as it should, never, with the index -1 and no memory (T-SIM7600X 63), or with the other memory. */
  cmti: 'right' | 'lost' | 'minus-one' | 'other-memory'
  /** `other-memory`: the report is in SR and announced as `"SM",0` (Quectel EC25, IchthysMaranatha/asterisk-chan-quectel 75). */
  cdsi: 'right' | 'lost' | 'other-memory'
  /**
   * Unsolicited lines go to another port until this command: `AT^PORTSEL=1` (E173, wdoekes/asterisk-chan-dongle 121), `AT+QURCCFG="urcport","usbat"`
   * (EC25, zabsalahid/serialport-gsm 12). Null for this port from the beginning.
   */
  otherPortUntil: string | null
  /** Without an acknowledgement so long after +CMT or +CDS, mt and ds fall to 0. */
  ackWithinMs: number
  /** Reports without a route (`ds` 0): acknowledged and forgotten, or stored without a word. */
  unroutedReports: 'dropped' | 'stored'
  /** Where `ds` 2 stores reports. */
  reportMemory: MemoryName
  /** Class 0: shown by +CMT, or stored like any other. */
  class0: 'cmt' | 'stored'
  /** While a command runs: between the lines of its answer, or behind it. */
  duringCommand: 'now' | 'after'
}

/** Which submits a rule is for; all that it names must fit. */
export interface SubmitMatch {
  /** How the recipient begins, without a plus sign. */
  to?: string
  /** The rule begins after so many that fit, and ends after so many. */
  skip?: number
  times?: number
}

export interface SubmitRule extends SubmitMatch {
  /** Whether the SMSC has it, whatever the modem says. */
  isTaken: boolean
  /**
   * `ok` is `+CMGS: {mr}` and OK. A list has the lines as they are, with `{mr}` in place of the reference. `silence` says nothing and is ready for more;
   * `reset` starts the modem anew; `cut` ends the connection. `held` waits for `answerHeld`.
   */
  answer: 'ok' | 'silence' | 'reset' | 'cut' | 'held' | readonly string[]
  delayMs?: number
}

export interface SubmitSettings {
  rules: readonly SubmitRule[]
  /** Before the prompt. `none` never asks, and takes no PDU; a list has lines in its place. */
  prompt: 'right' | 'none' | readonly string[]
  promptDelayMs: number
  answerDelayMs: number
  /** What ESC at the prompt is answered. */
  escapeAnswer: readonly string[]
  /** Counts up from the start and wraps at 256, or is always the same. */
  reference: 'counts' | 'constant'
  firstReference: number
  /** The prompt comes once more behind the PDU (JulianWowra/node-pdu 22). */
  repeatsPrompt: boolean
  /** Behind the reference, as 3GPP TS 27.005 section 4.3 allows with CSMS=1: `+CMGS: 5,00…`. */
  ackPdu: string | null
  /** CMMS is known. */
  hasMoreToSend: boolean
  /** A `+CMGS` without its OK, or an OK with no line between. */
  isResultWithoutOk: boolean
}

export interface ReportRule extends SubmitMatch {
  /** TP-ST of each report, in this order; none sends no report. */
  statuses: readonly number[]
  delayMs?: number
  /** `before-answer` is on the line before `+CMGS`. */
  when?: 'after-answer' | 'before-answer'
  /** TP-MR in the report: as given, or another. */
  reference?: number
  /** TP-RA as digits of another number or form: `{ number: '01701234567', type: 0x81 }`. */
  recipient?: { number: string; type: number }
  /** The SMSC in front of the report, where it is another than the SIM's (gammu 894). */
  smsc?: string
}

export interface ReportSettings {
  rules: readonly ReportRule[]
  /** `asked` obeys TP-SRR. */
  when: 'asked' | 'always' | 'never'
}

export interface UssdSettings {
  answers: Readonly<Record<string, string>>
  /** Plain, packed septets in hex (Huawei), or UCS-2 in hex. */
  form: 'plain' | 'packed-hex' | 'ucs2-hex'
  when: 'before-ok' | 'after-ok' | 'never'
  delayMs: number
}

export interface AnswerRule {
  /** A regular expression for the whole command line, `AT` in front, whatever its case. */
  command: string
  /** The lines of the answer, the final one too; none is silence. */
  lines: readonly string[]
  skip?: number
  times?: number
  delayMs?: number
}

/** Gives settings with a change in them; refuses names that there are not. */
export const changeModem = (settings: ModemSettings, change: ModemChange): ModemSettings =>
  changeSections(settings, change)
