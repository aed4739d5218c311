/** Formats a minute of the day for a time field: `21:30`; empty for none. */
export const timeOfDay = (minute: number | undefined): string =>
  minute === undefined
    ? ''
    : `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** Returns the minute of the day of `21:30`. */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
