import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey, everySecret, type InstanceSecret } from '../../../runtime/derived-keys.ts'

/** Below this path providers call. */
export const providerPath = '/providers/v1'

/** 128 bits: an address cannot be found by trying. */
const macBytes = 16

/** The addresses that providers call. Nothing of them is stored, and a wrong one costs no look-up. */
export interface Hooks {
  /** Returns the path of a device, below which its provider calls. Each generation has another. */
  pathOf(deviceId: string, generation?: number): string
  /** Returns the path that is called about the receipts of one attempt. */
  statusPathOf(deviceId: string, attemptId: string, generation?: number): string
  /** Returns the device of a hook and its generation; null for one that this instance did not make. */
  deviceOf(hook: string): { deviceId: string; generation: number } | null
  /** Returns the attempt of the end of a path, if it belongs to the device; otherwise null. */
  attemptOf(deviceId: string, text: string): string | null
}

/**
 * Creates the addresses of an instance: an ID with a MAC under a key derived from its secret (HMAC-SHA-256, cut to 128 bits,
 * RFC 2104 section 5). Those of a former secret stay valid as long as it is available.
 */
export function createHooks(secret: InstanceSecret): Hooks {
  const keys = everySecret(secret).map((each) => deriveKey(each, 'provider-hook'))
  const current = keys[0] as Uint8Array
  const sign = (text: string): string =>
    `${text.slice(text.indexOf('/') + 1)}.${macOf(current, text).toString('base64url')}`
  const read = (kind: string, given: string): string | null => {
    const split = given.lastIndexOf('.')
    const [id, mac] = [given.slice(0, Math.max(0, split)), Buffer.from(given.slice(split + 1), 'base64url')]
    const isGenuine = keys.some((key) => {
      const wanted = macOf(key, `${kind}/${id}`)
      return mac.length === wanted.length && timingSafeEqual(mac, wanted)
    })
    return isGenuine && id !== '' ? id : null
  }
  const pathOf = (deviceId: string, generation = 0): string =>
    `${providerPath}/${sign(`device/${deviceId}${generation === 0 ? '' : `~${generation}`}`)}`
  return {
    pathOf,
    statusPathOf: (deviceId, attemptId, generation) =>
      `${pathOf(deviceId, generation)}/status/${sign(`${deviceId}:attempt/${attemptId}`)}`,
    deviceOf(hook) {
      const [deviceId, generation = '0'] = read('device', hook)?.split('~') ?? []
      return deviceId === undefined ? null : { deviceId, generation: Number(generation) }
    },
    attemptOf: (deviceId, text) => read(`${deviceId}:attempt`, text),
  }
}

/** Returns the generation of the addresses of a device; `device set --new-hook` begins the next one. */
export const generationOf = (settings: Readonly<Record<string, string>>): number =>
  Number(settings['hook'] ?? '0')

const macOf = (key: Uint8Array, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, macBytes)
