/** A value that fills a placeholder; null leaves the member out that it is part of. */
export type Filling = string | number | boolean | null

/** A step between the value of a placeholder and what is written. */
export interface Filter {
  name: FilterName
  /** Another placeholder that it reads. */
  reads?: string
  /** Returns the new value; null remains null for all filters but `or`. */
  apply(value: Filling, read: (name: string) => Filling): Filling
}

const text =
  (change: (value: string) => Filling) =>
  (value: Filling): Filling =>
    value === null ? null : change(String(value))

const plain =
  (change: (value: string) => Filling): Maker =>
  (args) =>
    args.length === 0 ? { apply: text(change) } : 'has no arguments'

/** The same for one of numbers; any other value is as none. */
const numeric = (change: (value: number) => number): Maker =>
  plain((value) => (value.trim() === '' || !Number.isFinite(Number(value)) ? null : change(Number(value))))

type Maker = (args: readonly string[]) => Omit<Filter, 'name'> | string

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}
/** Characters that no XML 1.0 document can contain (section 2.2). */
// oxlint-disable-next-line no-control-regex
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Every filter by its name. */
const makers = {
  digits: plain((value) => value.replaceAll(/\D/g, '') || null),
  between: (args) => {
    const [least, most] = args.map(Number)
    const isRange = args.length === 2 && args.every((arg) => /^\d{1,15}$/.test(arg))
    if (!isRange || (least as number) > (most as number))
      return 'needs two whole numbers, as in between:1:36000'
    return {
      apply: text((value) => {
        const number = Number(value)
        return value === '' || Number.isNaN(number)
          ? null
          : Math.min(most as number, Math.max(least as number, number))
      }),
    }
  },
  cut: (args) => {
    const [most = ''] = args
    if (args.length !== 1 || !/^[1-9]\d{0,4}$/.test(most)) return 'needs a number of characters, as in cut:40'
    return { apply: text((value) => cut(value, Number(most))) }
  },
  map: (args) => {
    const pairs = args.map((arg) => arg.split('='))
    if (args.length === 0 || pairs.some((pair) => pair.length !== 2 || pair[0] === ''))
      return 'needs pairs, as in map:gsm7=text:ucs2=unicode'
    const words = new Map(pairs as [string, string][])
    return { apply: text((value) => words.get(value) ?? null) }
  },
  // Rounded down, so that a message is not sent after its end; but 0 would be no validity.
  minutes: numeric((value) => Math.max(1, Math.floor(value / 60))),
  number: numeric((value) => value),
  boolean: plain((value) => value === 'true' || value === '1'),
  upper: plain((value) => value.toUpperCase()),
  lower: plain((value) => value.toLowerCase()),
  base64: plain((value) => Buffer.from(value, 'utf8').toString('base64')),
  hex: (args) => {
    if (args.length === 0) return { apply: text((value) => Buffer.from(value, 'utf8').toString('hex')) }
    if (args.length === 1 && args[0] === 'ucs2')
      return { apply: text((value) => Buffer.from(value, 'utf16le').swap16().toString('hex')) }
    return 'has no argument, for UTF-8, or the argument ucs2'
  },
  xml: plain((value) =>
    value.replaceAll(notXml, '').replaceAll(/[&<>"'\r]/g, (char) => entities[char] as string),
  ),
  as: (args) => {
    const [word = ''] = args
    if (args.length !== 1 || word === '')
      return 'needs the word that is written in place of any value, as in as:unicode'
    return { apply: text(() => word) }
  },
  or: (args) => {
    const [name = ''] = args
    if (args.length !== 1 || !/^[a-z][a-z0-9_]*$/.test(name))
      return 'needs the name of another placeholder, as in or:default_sender'
    return { reads: name, apply: (value, read) => value ?? read(name) }
  },
} satisfies Record<string, Maker>

export type FilterName = keyof typeof makers
const filterNames = Object.keys(makers) as readonly FilterName[]

/** Returns the filter of this name with these arguments; a sentence when there is none. */
export function readFilter(name: string, args: readonly string[]): Filter | string {
  if (!Object.hasOwn(makers, name))
    return `There is no filter '${name}'; there are ${filterNames.join(', ')}.`
  const made = makers[name as FilterName](args)
  return typeof made === 'string' ? `The filter ${name} ${made}.` : { name: name as FilterName, ...made }
}

/** Cuts to a number of UTF-16 units, but never between the two of one character. */
function cut(value: string, most: number): string {
  const end = value.charCodeAt(most - 1)
  const isSplit = value.length > most && end >= 0xd800 && end <= 0xdbff
  return value.slice(0, isSplit ? most - 1 : most)
}
