/** How a message id is written. Numbers count up; ids beyond 2^53 are common, hence BigInt. */
export interface IdForm {
  radix: 10 | 16
  /** Of hex digits; lower without. */
  letters?: 'lower' | 'upper'
  /** Zeros in front up to so many digits. */
  width?: number
  /** As a UUID: 32 digits in five groups. */
  dashes?: boolean
  prefix?: string
}

export interface IdSettings {
  /** The first id, as decimal digits. */
  start: string
  /** After so many ids the first comes again; null is never. */
  count: number | null
  response: IdForm
  receipt: IdForm
}

export function writeId(number: bigint, form: IdForm): string {
  const digits = number.toString(form.radix).padStart(form.dashes ? 32 : (form.width ?? 0), '0')
  const cased = form.letters === 'upper' ? digits.toUpperCase() : digits
  return `${form.prefix ?? ''}${form.dashes ? cased.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : cased}`
}

/** Gives the next number; a new start begins there. */
export function createIdCounter(): (settings: IdSettings) => bigint {
  let start = ''
  let given = 0
  return (settings) => {
    if (settings.start !== start || given === settings.count) given = 0
    start = settings.start
    given += 1
    return BigInt(start) + BigInt(given - 1)
  }
}
