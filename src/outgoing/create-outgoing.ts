import { type AddressGuard, createAddressGuard } from './address-guard.ts'
import { createFindAddresses, type FindAddresses } from './find-addresses.ts'

/** How hosts that others name are reached. */
export interface Outgoing {
  guard: AddressGuard
  findAddresses: FindAddresses
  /** Returns whether the operator named this host, or a range that contains its address. */
  allowsHost(host: string): boolean
}

/** Creates it: public addresses, and what `setting` allows in addition. Throws if that is invalid. */
export function createOutgoing(allowed: readonly string[], setting: string): Outgoing {
  const guard = createAddressGuard(allowed, setting)
  return { guard, findAddresses: createFindAddresses(guard), allowsHost: guard.trusts }
}
