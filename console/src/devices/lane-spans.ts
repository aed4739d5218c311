/** Period of the uptime bars, in hours. */
export type LaneHours = 24 | 168

export const laneSpans: readonly { hours: LaneHours; label: string }[] = [
  { hours: 24, label: '24 h' },
  { hours: 168, label: '7 d' },
]
