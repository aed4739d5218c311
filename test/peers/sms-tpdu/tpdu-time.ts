/** A time as 3GPP TS 23.040 section 9.2.3.11 writes it: seven octets of swapped digits, local time, and the zone in quarters of an hour. */
export function writeTime(atMs: number, offsetMinutes: number): Buffer {
  const local = new Date(atMs + offsetMinutes * 60_000)
  const numbers = [
    local.getUTCFullYear() % 100,
    local.getUTCMonth() + 1,
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ]
  const zone = swapped(Math.abs(offsetMinutes) / 15) | (offsetMinutes < 0 ? 8 : 0)
  return Buffer.from([...numbers.map(swapped), zone])
}

const swapped = (number: number): number => ((number % 10) << 4) | Math.floor(number / 10)
