import { networkOf } from '../api/edge/remote-address.ts'
import { compareAddress } from '../connectors/android/called-address.ts'
import type { PhoneRouteDeps, ReachOpener } from '../connectors/android/route.ts'
import { findReachCheck, isPhoneBrowser, markReached } from '../devices/phones/reach-checks.ts'
import { isOwnAddress } from '../reach/find-addresses.ts'
import { minuteMs } from '../runtime/clock.ts'
import { SlidingCount } from '../runtime/sliding-count.ts'
import type { Wiring } from './wiring.ts'

/** Anyone can open a link, and each opening reads the database. A person opens one a few times. */
const maxOpenings = 30

/**
 * Records who opens the link of a check. A browser of this machine proves nothing about phones, nor does one of
 * another computer, whose firewall and network may differ, nor one that called another address than that of the link.
 */
export function createOpenReach({
  read,
  writer,
  clock,
  counts,
}: Pick<Wiring, 'read' | 'writer' | 'clock' | 'counts'>): PhoneRouteDeps['openReach'] {
  const openings = new SlidingCount(
    { clock, shared: { counts, kind: 'reachOpenings' } },
    { most: maxOpenings, windowMs: minuteMs },
  )
  return async (nonce, by) => {
    if (openings.take(networkOf(by.address)) > 0) return 'too_many'
    const check = await findReachCheck(read, nonce, clock.now())
    if (check === null) return 'unknown'
    // A proxy on this machine, which the settings do not name, has its address, and may pass on a phone.
    if (by.passage !== 'unknown_proxy' && isOwnAddress(by.address)) return 'own_machine'
    if (!isPhoneBrowser(by.userAgent)) return 'no_phone'
    if (check.address !== null && hasCalledAnother(by, check.address)) return 'other_address'
    if (!check.wasOpened)
      await writer.write((tx) => markReached(tx, nonce, { atMs: clock.now(), from: by.address }))
    return 'reached'
  }
}

/** A proxy may change the host: then only the link itself, which was made for the address, shows what was called. */
const hasCalledAnother = ({ passage, host }: ReachOpener, address: string): boolean =>
  passage === 'direct' && compareAddress(address, host) === 'other'
