/** What the tables say about own devices that can carry messages for nothing (decision 51). */

/**
 * Kinds of devices that send nothing for real: what they carry is always paid. A test compares the list with the
 * facts of the kinds, which are in a higher room.
 */
export const simulatorKinds = ['simulator'] as const

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

/** Returns the SQL condition that a row of `devices` can carry live messages of its own account for nothing. */
export const isOwnCarrier = (device: string): string =>
  `(${device}.account_id is not null and ${device}.mode = 'live' and ${device}.kind not in (${simulatorKinds.map((kind) => `'${kind}'`).join(', ')}))`
