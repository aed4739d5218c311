/** Formats a time for mails: to the minute, in UTC, because the time zone of the reader is unknown. */
export const formatInstant = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
