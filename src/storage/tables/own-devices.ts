/** Marks of the routes on which only own devices carry messages, for nothing (decision 51). */

/** Follows the mode in the key of a route with forced encoding. */
export const forcedEncodingMark = '+ucs2'
/** Follows, where only own devices of the account carry the messages. */
export const ownDevicesMark = '+own'

/**
 * Returns the SQL condition that a column with the key of a route names one of own devices. The marks follow the
 * mode, before any character that a sender could begin with; only live messages cost nothing.
 */
export const isOwnRoute = (column: string): string =>
  `(${column} like 'live${ownDevicesMark}%' or ${column} like 'live${forcedEncodingMark}${ownDevicesMark}%')`
