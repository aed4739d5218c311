import type { SaidSim } from '../ports.ts'

const shownCharacters = 4

/**
 * Masks SIMs for storage as the app masks them when it registers: the Local Server reports them in full. A
 * stored mask still distinguishes a replaced SIM.
 */
export const maskedSims = (sims: readonly SaidSim[] | null): SaidSim[] | null =>
  sims?.map(({ slot, number, carrier, iccid }) => ({
    slot,
    number: masked(number),
    carrier: masked(carrier),
    iccid: masked(iccid),
  })) ?? null

const masked = (text: string | null): string | null =>
  text === null
    ? null
    : '*'.repeat(Math.max(shownCharacters, text.length - shownCharacters)) +
      (text.length > shownCharacters ? text.slice(-shownCharacters) : '')
