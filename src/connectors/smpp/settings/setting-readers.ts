import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import {
  type StatusClass,
  statusClasses,
  type StatusOverrides,
} from '../../../smpp/values/command-status-class.ts'
import { type Tlv, tlvTags } from '../../../smpp/codec/pdu.ts'
import { type ReceiptPattern, readPattern } from '../../../smpp/values/receipt-pattern.ts'
import type { ReceiptWords } from '../../../smpp/values/receipt-verdict.ts'

/** Parses the text of a setting; undefined when it is invalid, and `wrong` says what it needs. */
export interface SettingReader<T> {
  read(text: string): T | undefined
  wrong: string
  /** All valid texts, if they are a few words. */
  choices?: readonly string[]
}

export function oneOf<const T extends string>(...values: readonly T[]): SettingReader<T> {
  return {
    read: (text) => values.find((value) => value === text),
    wrong: `needs one of ${values.join(', ')}`,
    choices: values,
  }
}

export const switched: SettingReader<boolean> = {
  read: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
  wrong: 'needs on or off',
  choices: ['off', 'on'],
}

export const wholeNumber = (least: number, most: number): SettingReader<number> => ({
  read: (text) => (isDigits(text) && within(Number(text), least, most) ? Number(text) : undefined),
  wrong: `needs a whole number from ${least} to ${most}`,
})

/** Milliseconds; 0 switches the feature off. */
export const millisecondsOrNever = (least: number, most: number): SettingReader<number> => ({
  read: (text) => (text === '0' ? 0 : wholeNumber(least, most).read(text)),
  wrong: `needs 0 or a whole number from ${least} to ${most}`,
})

/** Type of number or numbering plan; null derives it from the address. */
export const octetOrAuto: SettingReader<number | null> = {
  read: (text) => (text === 'auto' ? null : wholeNumber(0, 255).read(text)),
  wrong: 'needs auto or a whole number from 0 to 255',
}

/** Events per second, fractions too; null means no limit. */
export const ratePerSecond: SettingReader<number | null> = {
  read: (text) => {
    if (text === '') return null
    return /^\d{1,6}(\.\d{1,6})?$/.test(text) && within(Number(text), 0.001, 100_000)
      ? Number(text)
      : undefined
  },
  wrong: 'needs a number from 0.001 to 100000, or nothing',
}

/** A C-octet string: printable ASCII, which every SMSC reads the same way (SMPP 3.4, section 3.1). */
export const ascii = (least: number, most: number): SettingReader<string> => ({
  read: (text) => (within(text.length, least, most) && /^[ -~]*$/.test(text) ? text : undefined),
  wrong: `needs ${least} to ${most} printable ASCII characters`,
})

/** Underscores too: names of containers have them. */
export const hostName: SettingReader<string> = {
  read: (text) =>
    isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?\.?$/i.test(text) ? text : undefined,
  wrong: 'needs a host name or an IP address, without scheme, port and path',
}

/** Null when empty. */
export const optional = <T>({ read, wrong }: SettingReader<T>): SettingReader<T | null> => ({
  read: (text) => (text === '' ? null : read(text)),
  wrong: `${wrong}, or nothing`,
})

/** The command line and the server may run in different directories, so only absolute paths mean the same to both. */
export const filePath: SettingReader<string> = {
  read: (text) => (isAbsolute(text) && text.length <= 4096 && !text.includes('\0') ? text : undefined),
  wrong: 'needs the absolute path of a file',
}

/** A list of `tag:type:value`, the tag in hexadecimal. */
export const tlvList: SettingReader<readonly Tlv[]> = {
  read: (text) => {
    const tlvs = words(text).map(readTlv)
    const isValid = tlvs.length <= 20 && tlvs.every((tlv) => tlv !== undefined)
    return isValid && new Set(tlvs.map(({ tag }) => tag)).size === tlvs.length ? tlvs : undefined
  },
  wrong:
    'needs up to 20 TLVs separated by blanks, each tag:type:value with its own tag in hexadecimal, the type one of octets (hexadecimal), text, cstring, int8, int16, int32, and no tag that joins parts',
}

/** A list of `status=class`, the status in hexadecimal after `0x`, otherwise decimal. */
export const statusList: SettingReader<StatusOverrides> = {
  read: (text) => {
    const pairs = words(text).map(readStatus)
    const isValid = pairs.length <= 300 && pairs.every((pair) => pair !== undefined)
    const overrides = isValid ? new Map(pairs) : undefined
    return overrides?.size === pairs.length ? overrides : undefined
  },
  wrong: `needs status=class separated by blanks, such as 0x14=now 0x400=good, each status once, from 0x1 to 0xffffffff, the class one of ${statusClasses.join(', ')}`,
}

const meanings = ['delivered', 'undelivered', 'open'] as const

export const receiptWordList: SettingReader<ReceiptWords> = {
  read: (text) => {
    const pairs = words(text).map((pair) => {
      const [, word = '', meant] = /^([A-Za-z0-9_-]{1,32})=(\w+)$/.exec(pair) ?? []
      const meaning = meanings.find((each) => each === meant)
      return meaning === undefined ? undefined : ([word.toUpperCase(), meaning] as const)
    })
    const isValid = pairs.length <= 100 && pairs.every((pair) => pair !== undefined)
    const list = isValid ? new Map(pairs) : undefined
    return list?.size === pairs.length ? list : undefined
  },
  wrong: `needs WORD=meaning separated by blanks, such as BARRED=undelivered HELD=open, each word once, the meaning one of ${meanings.join(', ')}`,
}

export const receiptPattern: SettingReader<ReceiptPattern | null> = {
  read: (text) => (text === '' ? null : readPattern(text)),
  wrong:
    'needs up to 200 letters with {id} and {stat}, each field of {id}, {stat}, {err} and {submitted} once, and words between any two, such as {stat},{submitted},{id},{*}; or nothing',
}

const isDigits = (text: string): boolean => /^(0|[1-9]\d{0,9})$/.test(text)
const within = (value: number, least: number, most: number): boolean => value >= least && value <= most
const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** Written only by `concat`. */
const joiningTags: ReadonlySet<number> = new Set([
  tlvTags.sar_msg_ref_num,
  tlvTags.sar_total_segments,
  tlvTags.sar_segment_seqnum,
  tlvTags.message_payload,
])

function readTlv(word: string): Tlv | undefined {
  const [, hex = '', type = '', text = ''] = /^(?:0x)?([0-9a-f]{1,4}):([a-z0-9]+):([ -~]*)$/i.exec(word) ?? []
  const value = readTlvValue(type, text)
  const tag = Number.parseInt(hex, 16)
  return hex === '' || value === undefined || value.length > 255 || joiningTags.has(tag)
    ? undefined
    : { tag, value }
}

function readTlvValue(type: string, text: string): Buffer | undefined {
  switch (type) {
    case 'octets':
      return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex') : undefined
    case 'text':
      return Buffer.from(text, 'latin1')
    case 'cstring':
      return Buffer.from(`${text}\0`, 'latin1')
    case 'int8':
      return bigEndian(text, 1)
    case 'int16':
      return bigEndian(text, 2)
    case 'int32':
      return bigEndian(text, 4)
    default:
      return undefined
  }
}

function bigEndian(text: string, octets: number): Buffer | undefined {
  if (!isDigits(text) || Number(text) >= 2 ** (octets * 8)) return undefined
  const bytes = Buffer.alloc(octets)
  bytes.writeUIntBE(Number(text), 0, octets)
  return bytes
}

function readStatus(word: string): [number, StatusClass] | undefined {
  const [, digits = '', named] = /^(0x[0-9a-f]{1,8}|[1-9]\d{0,9})=([a-z]+)$/i.exec(word) ?? []
  const status = Number(digits)
  const lasts = statusClasses.find((value) => value === named)
  return lasts === undefined || !within(status, 1, 0xffff_ffff) ? undefined : [status, lasts]
}
