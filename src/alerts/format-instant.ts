/** An instant in a mail: to the minute, in UTC, since nobody knows where it is read. */
export const formatInstant = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
