import { isAbsolute } from 'node:path'
import { countrySetting, oneOf, type SettingRule, wholeNumber } from '../setting-rules.ts'
import type { OpenLine } from './line/line.ts'
import { serialLine } from './line/serial-line.ts'
import { tcpLine } from './line/tcp-line.ts'
import type { CreditSettings } from './run/credit-watch.ts'
import type { SessionSettings } from './run/modem-session.ts'
import { profileNames } from './setup/profiles.ts'
import type { ErrorOverrides } from './submit/error-class.ts'
import type { Concat } from './submit/pdu-parts.ts'
import type { EncodingSettings } from './submit/send-message.ts'

/** The settings of a modem, parsed. */
export interface ModemSettings {
  open: OpenLine
  /** The port, if it is one of a machine. */
  path: string | null
  /** The only node that may open it; null for any. */
  node: string | null
  session: SessionSettings
  encoding: EncodingSettings
  concat: Concat
  sendTimeoutMs: number
  overrides: ErrorOverrides
  trace: boolean
  /** Null: the credit of the SIM is not asked for. */
  credit: CreditSettings | null
}

const maxMs = 3_600_000
const lasts = ['good', 'now', 'busy', 'expired', 'unknown'] as const
/** Commands that lock a SIM, send, store, delete, dial or change the modem for good. */
const forbidden = /\+C(?:PIN|PWD|LCK|MGS|MGW|MSS|MGD)\b|\+EGMR|^AT\s*D|&W/i

const matching = (
  name: string,
  pattern: RegExp,
  wrong: string,
  summary: string,
  byDefault = '',
): SettingRule => ({
  name,
  default: byDefault,
  summary,
  check: (value) => (value === byDefault || pattern.test(value) ? null : wrong),
})

/** Every setting of a modem, with the check of its value. */
export const modemSettings: readonly SettingRule[] = [
  {
    name: 'port',
    default: '',
    required: true,
    summary: 'Path of the serial port (/dev/serial/by-id/…, which stays the same after replugging), or tcp://host:port or telnet://host:port of a terminal server.',
    check: (value) => (portOf(value) === null ? 'needs the absolute path of a port, or tcp://host:port or telnet://host:port' : null),
  },
  wholeNumber('baud', 115_200, [300, 4_000_000], 'Speed of a serial port in baud. USB ignores it, a UART does not. Default 115200.'),
  matching('imei', /^\d{15}$/, 'needs 15 digits, or nothing', 'IMEI of the modem: another one under the path gets no message. Empty: any modem.'),
  matching('sim_mark', /^[0-9a-f]{16}$/, 'needs 16 hexadecimal digits, or nothing', 'Mark of the SIM, a hash of its ICCID: with another SIM no message is sent and no PIN tried. Empty: any SIM.'),
  oneOf('profile', ['auto', ...profileNames], 'Kind of modem. auto: by its maker and model.'),
  matching('smsc', /^\+[1-9]\d{6,14}$/, 'needs a number in E.164, or nothing', 'Service centre that is written into each message. Empty: that of the SIM.'),
  oneOf('receipts', ['all', 'none'], 'Delivery reports to request. Default all, because without them delivery is unknown.'),
  oneOf('recover', ['radio', 'none'], 'What to do after 5 min without a network, and then every 30 min: switch the radio off and on (CFUN=4, CFUN=1), or nothing.'),
  oneOf('report_route', ['auto', 'direct', 'stored'], 'How delivery reports come: on the line, or stored. auto: on the line where the modem can.'),
  oneOf('concat', ['udh8', 'udh16'], 'How parts are joined: by a header with an 8-bit or 16-bit reference (152 instead of 153 septets per part, so perhaps one part more than was priced).'),
  oneOf('validity', ['relative', 'absolute', 'none'], 'How the remaining validity is sent: as a duration, as a time in UTC, or not at all.'),
  oneOf('storage', ['auto', 'SM', 'ME', 'MT'], 'Memory for received messages: SIM, modem, or both. auto: the modem if it has more than 50 places, otherwise the SIM.'),
  wholeNumber('command_timeout_ms', 5_000, [500, maxMs], 'Milliseconds to wait for the answer to most commands. Default 5 s.'),
  wholeNumber('send_timeout_ms', 120_000, [1_000, maxMs], 'Milliseconds to wait for the answer to a part; after that its outcome is unknown. Better too long than too short; default 2 min, as Quectel has it.'),
  wholeNumber('pause_ms', 100, [0, 10_000], 'Milliseconds between an answer and the next command; a SIM800 loses one that comes earlier.'),
  wholeNumber('keep_alive_ms', 30_000, [1_000, maxMs], 'Milliseconds without a command after which the modem is asked whether it is there: a vanished port may be silent.'),
  {
    name: 'init',
    default: '',
    summary: 'Further commands after the modem is ready, separated by semicolons, such as AT+CGSMS=1. Empty: none.',
    check: (value) => {
      const isFine = value.length <= 500 && commandsIn(value).every((each) => /^AT[ -~]+$/i.test(each) && !forbidden.test(each))
      return isFine ? null : 'needs commands that begin with AT, separated by semicolons, none that sends, stores, deletes, dials, or changes PINs'
    },
  },
  {
    name: 'error_classes',
    default: '',
    summary: 'Meanings of CMS errors for a network that does not follow the table: code=class, separated by blanks, such as 500=now 21=good. Empty: the table.',
    check: (value) => (overridesIn(value) === null ? `needs code=class separated by blanks, such as 500=now, each code once, the class one of ${lasts.join(', ')}` : null),
  },
  matching('ussd_balance', /^[*#][\d*#]{1,30}#$/, 'needs a USSD code such as *100#, or nothing', 'USSD code that asks the network for the credit of a prepaid SIM, such as *100#. Empty: the credit is not asked for.'),
  wholeNumber('ussd_hours', 24, [1, 720], 'Hours between two questions after the credit, while no message is sent. Default 24: some networks count them.'),
  {
    name: 'ussd_pattern',
    default: '',
    summary: 'Regular expression that finds the amount in the answer, as its first group, such as Guthaben: ([0-9,]+). Empty: the first number.',
    check: (value) => (patternOf(value) === null ? 'needs a regular expression of up to 100 characters' : null),
  },
  matching('ussd_low', /^\d{1,6}(?:\.\d{1,2})?$/, 'needs an amount such as 2.50, or nothing', 'Amount below which the device has the reason credit_low. Empty: never.'),
  {
    name: 'node',
    default: '',
    summary: 'Name of the only server (ONESIXTY_NODE) that may open the port, where several share a database. device add fills it for the path of a port. Empty: any server.',
    check: (value) => (/^[\w.:@-]{0,100}$/.test(value) ? null : 'needs the name of a server: up to 100 letters, digits and . _ : @ -'),
  },
  countrySetting,
  oneOf('trace', ['off', 'on'], 'Logs every command and answer, without texts, numbers and PINs. Off by default, because of the volume.'),
] // prettier-ignore

/** Parses settings that were checked by `modemSettings`; missing ones get their default. */
export function readSettings(given: Readonly<Record<string, string>>): ModemSettings {
  const textOf = (name: string): string => {
    const rule = modemSettings.find((each) => each.name === name)
    return given[name] ?? rule?.default ?? ''
  }
  const one = <const T extends string>(name: string, ...values: readonly T[]): T =>
    values.find((value) => value === textOf(name)) ?? (values[0] as T)
  const number = (name: string): number => Number(textOf(name))
  const orNull = (name: string): string | null => textOf(name) || null
  const port = portOf(textOf('port'))
  if (port === null) throw new RangeError('The setting port is missing.')
  return {
    open: port.kind === 'tcp' ? tcpLine(port) : serialLine({ path: port.path, baudRate: number('baud') }),
    path: port.kind === 'path' ? port.path : null,
    node: orNull('node'),
    session: {
      profile: one('profile', 'auto', ...profileNames),
      imei: orNull('imei'),
      simMark: orNull('sim_mark'),
      serviceCentre: orNull('smsc'),
      storage: one('storage', 'auto', 'SM', 'ME', 'MT'),
      reportRoute: one('report_route', 'auto', 'direct', 'stored'),
      recover: one('recover', 'radio', 'none'),
      init: commandsIn(textOf('init')),
      pauseMs: number('pause_ms'),
      commandTimeoutMs: number('command_timeout_ms'),
      keepAliveMs: number('keep_alive_ms'),
    },
    encoding: {
      serviceCentre: orNull('smsc'),
      receipts: one('receipts', 'all', 'none'),
      validity: one('validity', 'relative', 'absolute', 'none'),
    },
    concat: one('concat', 'udh8', 'udh16'),
    sendTimeoutMs: number('send_timeout_ms'),
    overrides: overridesIn(textOf('error_classes')) ?? new Map(),
    trace: textOf('trace') === 'on',
    credit:
      textOf('ussd_balance') === ''
        ? null
        : {
            code: textOf('ussd_balance'),
            everyMs: number('ussd_hours') * hourMs,
            pattern: patternOf(textOf('ussd_pattern')) ?? firstNumber,
            low: textOf('ussd_low') === '' ? null : number('ussd_low'),
          },
  }
}

/** Settings that take effect with the next message or line of the log. All others need the line to be opened again. */
const live: ReadonlySet<string> = new Set([
  'concat',
  'validity',
  'send_timeout_ms',
  'error_classes',
  'country',
  'trace',
])

type Given = Readonly<Record<string, string>>

/** Returns whether a running link can apply a change. A default is the same whether set or omitted. */
export const isLiveChange = (before: Given, after: Given): boolean =>
  modemSettings.every(
    ({ name, default: byDefault }) =>
      live.has(name) || (before[name] ?? byDefault) === (after[name] ?? byDefault),
  )

const firstNumber = /-?\d+(?:[.,]\d+)?/
const hourMs = 3_600_000

/** Returns the pattern that finds an amount; null for none that can be used. */
function patternOf(text: string): RegExp | null {
  if (text === '') return firstNumber
  if (text.length > 100 || /[\n\r\0]/.test(text)) return null
  try {
    return new RegExp(text, 'u')
  } catch {
    return null
  }
}

type Port = { kind: 'path'; path: string } | { kind: 'tcp'; host: string; port: number; isTelnet: boolean }

function portOf(value: string): Port | null {
  const [, scheme, host = '', digits] =
    /^(tcp|telnet):\/\/([a-z0-9._-]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(value) ?? []
  if (scheme !== undefined) {
    const port = Number(digits)
    const isTelnet = scheme.toLowerCase() === 'telnet'
    return port < 1 || port > 65_535
      ? null
      : { kind: 'tcp', host: host.replaceAll(/[[\]]/g, ''), port, isTelnet }
  }
  const isPath = (isAbsolute(value) || /^COM\d{1,3}$/.test(value)) && /^[^\n\r\0]{1,1024}$/.test(value)
  return isPath ? { kind: 'path', path: value } : null
}

const commandsIn = (text: string): string[] =>
  text.split(';').map((each) => each.trim()).filter((each) => each !== '') // prettier-ignore

function overridesIn(text: string): ErrorOverrides | null {
  const pairs = text.split(/[\s,]+/).filter((each) => each !== '').map((each) => {
    const [, code = '', named] = /^(\d{1,5})=([a-z]+)$/.exec(each) ?? []
    const meant = lasts.find((value) => value === named)
    return meant === undefined ? null : ([Number(code), meant] as const)
  }) // prettier-ignore
  const known = pairs.filter((pair) => pair !== null)
  const overrides = new Map(known)
  const isValid = known.length === pairs.length && overrides.size === pairs.length && !/[\n\r\0]/.test(text)
  return isValid ? overrides : null
}
