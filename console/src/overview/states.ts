import type { TrafficBar } from '../../../src/messages/history/read-traffic.ts'

export type BarState = Exclude<keyof TrafficBar, 'atMs' | 'accepted' | 'received'>

const hatched = (color: string): string =>
  `repeating-linear-gradient(45deg, ${color} 0 4px, color-mix(in srgb, ${color}, var(--mantine-color-body) 45%) 4px 7px)`

/**
 * The states as bars show them, from the bottom up. Colours after Okabe and Ito, told apart with every common colour blindness; those
 * that mean trouble are hatched besides.
 */
export const barStates: readonly {
  state: BarState
  name: string
  ground: string
  means: string
  /** States of history. */
  filter: string
}[] = [
  { state: 'delivered', name: 'Delivered', ground: '#009e73', means: 'The network says that the handset took every part.', filter: 'delivered' },
  { state: 'sent', name: 'Sent', ground: '#56b4e9', means: 'The network took every part; no word of the handset.', filter: 'sent' },
  { state: 'waiting', name: 'Waiting', ground: 'light-dark(#868e96, #909296)', means: 'In the queue, or in the hands of a device.', filter: 'scheduled,queued,sending' },
  { state: 'canceled', name: 'Canceled', ground: 'light-dark(#343a40, #5c5f66)', means: 'Stopped before they were submitted.', filter: 'canceled' },
  { state: 'unconfirmed', name: 'Unconfirmed', ground: 'light-dark(#b8a200, #f0e442)', means: 'Nobody knows whether they arrived.', filter: 'unconfirmed' },
  { state: 'expired', name: 'Expired', ground: hatched('#cc79a7'), means: 'Their validity ended before they were submitted.', filter: 'expired' },
  { state: 'undelivered', name: 'Undelivered', ground: hatched('#e69f00'), means: 'The network took them, then could not deliver them.', filter: 'undelivered' },
  { state: 'failed', name: 'Failed', ground: hatched('#d55e00'), means: 'Certainly not submitted, or only in part.', filter: 'failed' },
] // prettier-ignore
