/** Taken by every transaction that writes, for its duration: exclusively, or shared along with its lanes. */
const allLanes = 160_160_160

/**
 * Returns what takes the locks of a transaction that writes. Without lanes it is the only one of all nodes: transactions run
 * one after the other, as on the embedded database, so that what a unit reads stays unchanged until the unit has written. With
 * lanes, that holds for all rows of the accounts in them. Two keys of four bytes are no key of eight, so no lane is the
 * lock of all. One statement takes the locks, from left to right: transactions that take them in one order never wait for each other.
 */
export function laneLocks(lanes: readonly number[] | null): string {
  if (lanes === null) return `select pg_advisory_xact_lock(${allLanes})`
  const locks = lanes.map((lane) => `pg_advisory_xact_lock(${allLanes}, ${lane})`)
  return `select ${[`pg_advisory_xact_lock_shared(${allLanes})`, ...locks].join(', ')}`
}
