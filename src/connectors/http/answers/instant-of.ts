/** Returns an instant in milliseconds: of a number by its size, otherwise of a date, in UTC where it names no zone. */
export function instantOf(text: string | null): number | null {
  if (text === null) return null
  if (/^\d{9,11}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000)
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const bare = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(text)
  const ms = Date.parse(bare === null ? text : `${bare[1]}T${bare[2]}Z`)
  return Number.isNaN(ms) ? null : ms
}
