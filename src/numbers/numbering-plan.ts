/**
 * The world's numbering plans, compiled once from the metadata of libphonenumber-js. The library compiles its
 * patterns on each call and loads much more than its metadata; this module reads a new number several times
 * faster. test/unit/phone-number.test.ts checks that the results equal the library's.
 */

import metadata from 'libphonenumber-js/max/metadata'

/**
 * Line type by the plan; null if the plan does not contain the number, which may just be newer than the data.
 */
export type LineType =
  | 'FIXED_LINE'
  | 'MOBILE'
  | 'FIXED_LINE_OR_MOBILE'
  | 'PREMIUM_RATE'
  | 'TOLL_FREE'
  | 'SHARED_COST'
  | 'VOIP'
  | 'PERSONAL_NUMBER'
  | 'PAGER'
  | 'UAN'
  | 'VOICEMAIL'
  | null

export type NumberReading = {
  callingCode: string
  /** The national number as the plan writes it, without a trunk prefix such as the 0 of `+49 0 151 …`. */
  nationalNumber: string
  /** ISO 3166 alpha-2 (also XK, AC, TA); null for services without a country, or if several are possible. */
  country: string | null
  length: 'possible' | 'too_short' | 'too_long' | 'never_used'
  lineType: LineType
  /** True if mobile numbers of this plan can have this length. */
  asLongAsMobile: boolean
}

/**
 * Reads `+` and 7 to 15 digits by the plan of its calling code; returns null if no country or service has
 * that code.
 */
export function readInternationalNumber(e164: string): NumberReading | null {
  const callingCode = findCallingCode(e164)
  if (callingCode === null) return null
  const plan = planOf(callingCode)
  const nationalNumber = withoutTrunkPrefix(e164.slice(1 + callingCode.length), plan)
  const own = territoryOf(nationalNumber, plan)
  const territory = own ?? plan.main
  return {
    callingCode,
    nationalNumber,
    country: own === null ? null : own.country,
    length: judgeLength(nationalNumber.length, territory.lengths),
    lineType: lineTypeOf(nationalNumber, territory),
    asLongAsMobile: includesLength(territory.mobile?.lengths ?? territory.lengths, nationalNumber.length),
  }
}

/** Returns whether a numbering plan belongs to this country (ISO 3166 alpha-2). */
export const isCountry = (code: string): boolean => Object.hasOwn(metadata.countries, code)

/** Returns the calling code of a country (ISO 3166 alpha-2), or null for an unknown country. */
export const callingCodeOf = (country: string): string | null =>
  isCountry(country) ? (packedMetadata.countries[country]?.[0] ?? null) : null

/**
 * Returns what is dialled in a country before the calling code of another one, such as 00 or 011; null if
 * that depends on a carrier, or for an unknown country.
 */
export function internationalPrefixOf(country: string): string | null {
  const prefix = isCountry(country) ? (packedMetadata.countries[country]?.[1] ?? '') : ''
  return /^\d+$/.test(prefix) ? prefix : null
}

/** Returns the calling code of a number written `+…`, or null. No code is a prefix of another. */
export function findCallingCode(e164: string): string | null {
  for (let end = 2; end <= 4; end++) {
    const code = e164.slice(1, end)
    if (callingCodes.has(code)) return code
  }
  return null
}

type Territory = {
  country: string | null
  lengths: LengthSet
  pattern: RegExp
  leadingDigits: RegExp | null
  trunkPrefix: RegExp | null
  trunkTransform: string | null
  fixedLine: LineRule | null
  mobile: LineRule | null
  otherLines: { type: LineType; rule: LineRule }[]
}

/** Bit n is set if numbers of n digits exist. */
type LengthSet = number

/**
 * A null pattern matches nothing: the metadata uses it where mobile numbers and fixed lines look the same.
 */
type LineRule = { lengths: LengthSet; pattern: RegExp | null }

type Plan = { main: Territory; territories: Territory[] }

/**
 * Returns the territory of a number of a shared calling code. As in the library, the leading digits of a
 * country decide if it has any.
 */
function territoryOf(nationalNumber: string, { territories }: Plan): Territory | null {
  if (territories.length === 1) return territories[0] ?? null
  for (const territory of territories) {
    const { leadingDigits } = territory
    if (leadingDigits === null ? lineTypeOf(nationalNumber, territory) : leadingDigits.test(nationalNumber))
      return territory
  }
  return null
}

/** Removes a trunk prefix, unless the number is valid with it, or none is valid without it. */
function withoutTrunkPrefix(dialled: string, plan: Plan): string {
  const { trunkPrefix, trunkTransform, pattern } = plan.main
  const match = trunkPrefix?.exec(dialled)
  if (trunkPrefix === null || !match) return dialled
  const stripped =
    // Wherever the metadata has a transform, its prefix has a group.
    trunkTransform !== null && match.at(-1)
      ? dialled.replace(trunkPrefix, trunkTransform)
      : dialled.slice(match[0].length)
  if (stripped === dialled || (pattern.test(dialled) && !pattern.test(stripped))) return dialled
  const length = judgeLength(stripped.length, (territoryOf(stripped, plan) ?? plan.main).lengths)
  return length === 'possible' || length === 'too_long' ? stripped : dialled
}

function lineTypeOf(nationalNumber: string, { pattern, fixedLine, mobile, otherLines }: Territory): LineType {
  if (!pattern.test(nationalNumber)) return null
  if (follows(nationalNumber, fixedLine)) {
    const alsoMobile = mobile === null || mobile.pattern === null || follows(nationalNumber, mobile)
    return alsoMobile ? 'FIXED_LINE_OR_MOBILE' : 'FIXED_LINE'
  }
  if (follows(nationalNumber, mobile)) return 'MOBILE'
  for (const { type, rule } of otherLines) if (follows(nationalNumber, rule)) return type
  return null
}

function follows(nationalNumber: string, rule: LineRule | null): boolean {
  return (
    rule !== null &&
    includesLength(rule.lengths, nationalNumber.length) &&
    rule.pattern?.test(nationalNumber) === true
  )
}

function includesLength(lengths: LengthSet, digits: number): boolean {
  return ((lengths >>> digits) & 1) === 1
}

function judgeLength(digits: number, lengths: LengthSet): NumberReading['length'] {
  if (includesLength(lengths, digits)) return 'possible'
  if (lengths >>> digits === 0) return 'too_long'
  return (lengths & ((1 << digits) - 1)) === 0 ? 'too_short' : 'never_used'
}

/** A territory in layout 4 of the metadata, by position. Absent values are 0. */
type RawTerritory = [
  callingCode: string,
  internationalPrefix: string,
  pattern: string,
  lengths: number[],
  formats: unknown,
  trunkPrefix: string | 0 | undefined,
  trunkPrefixFormat: unknown,
  trunkPrefixForParsing: string | 0 | undefined,
  trunkTransform: string | 0 | undefined,
  trunkPrefixOptional: unknown,
  leadingDigits: string | 0 | undefined,
  lines: (RawLine | 0)[] | undefined,
]
type RawLine = [pattern: string, lengths?: number[]]

// The library types a territory as any[].
const packedMetadata = metadata as unknown as {
  version: number
  country_calling_codes: Record<string, string[]>
  countries: Record<string, RawTerritory>
  nonGeographic: Record<string, RawTerritory>
}
if (packedMetadata.version !== 4)
  throw new Error('libphonenumber-js has a new layout of metadata: adapt numbering-plan.ts')

// In the order in which the library checks.
const lineCandidates: readonly [LineType, number][] = [
  ['PREMIUM_RATE', 3],
  ['TOLL_FREE', 2],
  ['SHARED_COST', 9],
  ['VOIP', 8],
  ['PERSONAL_NUMBER', 4],
  ['PAGER', 7],
  ['UAN', 6],
  ['VOICEMAIL', 5],
]

export const callingCodes: ReadonlySet<string> = new Set([
  ...Object.keys(packedMetadata.country_calling_codes),
  ...Object.keys(packedMetadata.nonGeographic),
])

// Filled on the first use of a calling code; up to one plan for each of about 215 calling codes.
const plansByCallingCode = new Map<string, Plan>()

function planOf(callingCode: string): Plan {
  let plan = plansByCallingCode.get(callingCode)
  if (plan === undefined) {
    plan = compilePlan(callingCode)
    plansByCallingCode.set(callingCode, plan)
  }
  return plan
}

function compilePlan(callingCode: string): Plan {
  const territories = (packedMetadata.country_calling_codes[callingCode] ?? []).map((country) =>
    compileTerritory(country, packedMetadata.countries[country]),
  )
  return {
    main: territories[0] ?? compileTerritory(null, packedMetadata.nonGeographic[callingCode]),
    territories,
  }
}

function compileTerritory(country: string | null, raw: RawTerritory | undefined): Territory {
  if (raw === undefined) throw new Error(`libphonenumber-js lacks the metadata of ${country}`)
  const lengths = lengthSet(raw[3])
  const lines = raw[11] ?? []
  const line = (place: number): LineRule | null => {
    const rawLine = lines[place]
    if (!rawLine) return null
    return {
      lengths: rawLine[1] ? lengthSet(rawLine[1]) : lengths,
      pattern: rawLine[0] ? entirely(rawLine[0]) : null,
    }
  }
  const trunkPrefix = raw[7] || raw[5]
  return {
    country,
    lengths,
    pattern: entirely(raw[2]),
    leadingDigits: raw[10] ? new RegExp(`^(?:${raw[10]})`) : null,
    trunkPrefix: trunkPrefix ? new RegExp(`^(?:${trunkPrefix})`) : null,
    trunkTransform: raw[8] || null,
    fixedLine: line(0),
    mobile: line(1),
    otherLines: lineCandidates.flatMap(([type, place]) => {
      const rule = line(place)
      return rule === null ? [] : [{ type, rule }]
    }),
  }
}

function lengthSet(lengths: number[]): LengthSet {
  return lengths.reduce((set, length) => set | (1 << length), 0)
}

function entirely(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
