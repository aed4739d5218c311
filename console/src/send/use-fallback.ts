import { useCall } from '../api/use-call.ts'
import type { SendOptions } from './send-options.ts'

/** Whether shared devices can send what waits for own devices that are free: elsewhere the option has no effect. */
export const useCanFallBack = (): boolean => useCall('send/choices', {}).data?.canFallBack === true

/** Returns the options as they take effect: a draft may have been written where the option had one. */
export const inEffect = (options: SendOptions, canFallBack: boolean): SendOptions =>
  canFallBack ? options : { ...options, fallsBack: false }
