import type { StorageFault } from './dialect.ts'

/** SQLite's primary result codes (sqlite.org/rescode.html); the low byte of an extended code. */
export function faultOf(code: number): StorageFault {
  switch (code & 0xff) {
    case 5:
    case 6:
      return 'busy'
    case 10:
    case 14:
      return 'unavailable'
    case 13:
      return 'full'
    case 19:
      return 'constraint'
    default:
      return 'other'
  }
}
