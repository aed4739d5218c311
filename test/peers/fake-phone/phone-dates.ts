/**
 * Dates as Java's SimpleDateFormat writes them with `yyyy-MM-dd'T'HH:mm:ss.SSSXXX` in the phone's zone. `+-5:00` is the offset
 * of five hours west that an Android before 7 gets wrong.
 */
export function writePhoneDate(atMs: number, zone: string): string {
  const [, sign, minus, hours, minutes] = /^([+-])(-?)(\d{1,2}):(\d{2})$/.exec(zone) ?? []
  if (hours === undefined) throw new Error(`No zone: ${zone}`)
  const offsetMinutes = Number(hours) * 60 + Number(minutes)
  const isWest = sign === '-' || minus === '-'
  const local = new Date(atMs + (isWest ? -offsetMinutes : offsetMinutes) * 60_000)
  return `${local.toISOString().slice(0, -1)}${zone}`
}

/**
 * The instant that the app reads from a date. All digits behind the point count as milliseconds (`app`): six of them move the
 * time by minutes. Throws on what it cannot read, as the app's parser does.
 */
export function readPhoneDate(text: string, parser: 'app' | 'iso'): number {
  const [, whole, fraction, zone] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:?\d{2})$/.exec(text) ?? []
  if (whole === undefined) throw new Error(`Unparseable date: ${text}`)
  const seconds = Date.parse(`${whole}${zone}`)
  if (Number.isNaN(seconds)) throw new Error(`Unparseable date: ${text}`)
  if (fraction === undefined) return seconds
  return seconds + (parser === 'app' ? Number(fraction) : Math.trunc(Number(`0.${fraction}`) * 1_000))
}
