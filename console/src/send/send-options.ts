import { browserZone, instantOf, noTime, type PickedTime } from '../ui/local-time.ts'

export interface SendOptions {
  from: string
  category: 'transactional' | 'authentication' | 'marketing'
  smartEncoding: boolean
  reference: string
  validityHours: string
  sendAt: PickedTime
  /** Shared devices may send what waits for own devices that are free, for the balance. */
  fallsBack: boolean
}

export const noOptions: SendOptions = {
  from: '',
  category: 'transactional',
  smartEncoding: false,
  reference: '',
  validityHours: '',
  sendAt: noTime,
  fallsBack: false,
}

/** Returns the options as members of a request body, without defaults. */
export const bodyOptions = (options: SendOptions): Record<string, unknown> => ({
  ...(options.from === '' ? {} : { from: options.from }),
  ...(options.category === 'transactional' ? {} : { category: options.category }),
  ...(options.smartEncoding ? { smart_encoding: true } : {}),
  ...(options.reference === '' ? {} : { client_reference: options.reference }),
  ...(options.validityHours === '' ? {} : { validity_period: Number(options.validityHours) * 3600 }),
  ...(options.sendAt.local === '' ? {} : { send_at: sendAtOf(options.sendAt) }),
  ...(options.fallsBack ? { fallback: 'shared' } : {}),
})

/** Returns a time that the clocks skip as it was picked, so that the server rejects it and nothing is sent. */
function sendAtOf(picked: PickedTime): string {
  const atMs = instantOf(picked, browserZone())
  return atMs === null ? picked.local : new Date(atMs).toISOString()
}
