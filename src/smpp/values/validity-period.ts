/** How a link sends the validity to the SMSC; `none` leaves it to the SMSC. */
export type ValidityForm = 'relative' | 'absolute' | 'none'

/**
 * Formats the rest of a validity for SMPP (section 7.1.1): from when the SMSC accepts the message, or until a
 * time in UTC. At most 30 days: a relative time has no more days than a month, whose length only the SMSC
 * knows.
 */
export function validityPeriod(form: ValidityForm, seconds: number, nowMs: number): string {
  const rest = Math.min(Math.max(seconds, 1), maxSeconds)
  switch (form) {
    case 'none':
      return ''
    case 'relative':
      return `0000${twoDigits(rest / 86_400)}${twoDigits((rest / 3600) % 24)}${twoDigits((rest / 60) % 60)}${twoDigits(rest % 60)}000R`
    case 'absolute':
      // 2026-11-21T06:50:00.000Z: two digits of the year, and no tenths.
      return `${new Date(nowMs + rest * 1000).toISOString().slice(2, 19).replaceAll(/\D/g, '')}000+`
  }
}

const maxSeconds = 30 * 86_400

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0')
