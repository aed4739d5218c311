import type { PhoneRouteDeps } from '../connectors/android/route.ts'
import { isPhoneBrowser, isReachCheck, markReached } from '../devices/phones/reach-checks.ts'
import { ownAddresses } from '../reach/find-addresses.ts'
import type { Wiring } from './wiring.ts'

/**
 * Records who opens the link of a check. A browser of this machine proves nothing about phones, nor does one of
 * another computer, whose firewall and network may differ.
 */
export const createOpenReach =
  ({ read, writer, clock }: Pick<Wiring, 'read' | 'writer' | 'clock'>): PhoneRouteDeps['openReach'] =>
  async (nonce, { address, userAgent }) => {
    if (!(await isReachCheck(read, nonce, clock.now()))) return 'unknown'
    if (ownAddresses().includes(address)) return 'own_machine'
    if (!isPhoneBrowser(userAgent)) return 'no_phone'
    await writer.write((tx) => markReached(tx, nonce, { atMs: clock.now(), from: address }))
    return 'reached'
  }
