import { isLoopbackHost, placeOf } from '../../process/own-address.ts'
import type { CalledAddress, HookAddress } from './hook-watch.ts'

/**
 * Compares the host that a client called (`Host`) with an address of this server, by host and port. `unclear`: a proxy or
 * a cable may hide what was called. A loopback name is that of `adb reverse`, or of a proxy that names its target, as
 * nginx does by default (`proxy_set_header Host $proxy_host`); so is a name without a dot. Many proxies omit the port.
 */
export function compareAddress(address: string, host: string | undefined): CalledAddress {
  const ours = new URL(address)
  const called = typeof host === 'string' ? URL.parse(`${ours.protocol}//${host}`) : null
  if (called === null) return 'unclear'
  if (placeOf(called.origin) === placeOf(address)) return 'same'
  if (isLoopbackHost(called.hostname) || !/[.:]/.test(called.hostname)) return 'unclear'
  return called.hostname === ours.hostname ? 'unclear' : 'other'
}

/** Compares what a phone called with the address that it gets for what it receives. Ports are not compared. */
export function hookAddressOf(publicUrl: string, host: string | undefined): HookAddress {
  const called = typeof host === 'string' ? URL.parse(`http://${host}`) : null
  if (called === null || isLoopbackHost(called.hostname)) return 'same'
  if (isLoopbackHost(new URL(publicUrl).hostname)) return 'own_machine'
  return compareAddress(publicUrl, host) === 'other' ? 'other' : 'same'
}
