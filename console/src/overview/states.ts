import type { TrafficBar } from '../../../src/messages/history/read-traffic.ts'

export type BarState = Exclude<keyof TrafficBar, 'atMs' | 'accepted' | 'received'>

const hatched = (color: string): string =>
  `repeating-linear-gradient(45deg, ${color} 0 4px, color-mix(in srgb, ${color}, var(--mantine-color-body) 45%) 4px 7px)`

/**
 * The states in bars, from the bottom up. Colours by Okabe and Ito, distinct with every common colour blindness;
 * states of failure are also hatched.
 */
export const barStates: readonly {
  state: BarState
  name: string
  ground: string
  means: string
  /** Statuses, as the filter of History has them. */
  filter: string
}[] = [
  { state: 'delivered', name: 'Delivered', ground: '#009e73', means: 'The network reports that the handset received all parts.', filter: 'delivered' },
  { state: 'sent', name: 'Sent', ground: '#56b4e9', means: 'The network accepted all parts. Delivery to the handset is not confirmed.', filter: 'sent' },
  { state: 'waiting', name: 'In progress', ground: 'light-dark(#868e96, #909296)', means: 'Scheduled, queued, or submitted to a device.', filter: 'scheduled,queued,sending' },
  { state: 'canceled', name: 'Canceled', ground: 'light-dark(#343a40, #5c5f66)', means: 'Canceled before they were submitted.', filter: 'canceled' },
  { state: 'unconfirmed', name: 'Unconfirmed', ground: 'light-dark(#b8a200, #f0e442)', means: 'Outcome unknown: they may have arrived.', filter: 'unconfirmed' },
  { state: 'expired', name: 'Expired', ground: hatched('#cc79a7'), means: 'The validity period ended before they were submitted.', filter: 'expired' },
  { state: 'undelivered', name: 'Undelivered', ground: hatched('#e69f00'), means: 'The network accepted them but could not deliver them.', filter: 'undelivered' },
  { state: 'failed', name: 'Failed', ground: hatched('#d55e00'), means: 'Not submitted, or submitted only in part.', filter: 'failed' },
] // prettier-ignore
