import type { Ask } from '../at/ask.ts'
import { valueOf, valuesOf } from '../at/at-command.ts'

/** How a modem reports what the network sends. */
export interface Indications {
  /** Delivery reports come on the line (+CDS), are stored (+CDSI), or do not come. */
  reports: 'direct' | 'stored' | 'none'
  /** The values of CNMI; null where the modem has none: received messages are found by sweeps alone. */
  values: string | null
  /** Whether each report on the line is to be acknowledged (AT+CNMA); else the modem has done so. */
  acknowledges: boolean
}

/**
 * mode, mt, bm, ds, bfr. mt is always 1: a message is stored before it is announced. bfr is another one where the
 * modem has no 0 (Cinterion MC75i, gammu 1207): it is about lines that were held back, and none are.
 */
const choices: readonly (readonly [values: string, reports: Indications['reports']])[] = [
  ['2,1,0,1,0', 'direct'],
  ['2,1,0,2,0', 'stored'],
  ['1,1,0,1,0', 'direct'],
  ['3,1,0,1,0', 'direct'],
  ['1,1,0,2,0', 'stored'],
  ['2,1,0,0,0', 'none'],
]

/** Sets how the modem reports messages and delivery reports (3GPP TS 27.005, sections 3.2.1 and 3.4.1). */
export async function setIndications(ask: Ask, route: 'auto' | 'direct' | 'stored'): Promise<Indications> {
  await ask('AT+CSMS=1', { prefix: '+CSMS:' })
  const service = valuesOf(valueOf(await ask('AT+CSMS?', { prefix: '+CSMS:' }), '+CSMS:') ?? '')[0]
  const acknowledges = service === '1'
  if (acknowledges) await refuseLeftOpen(ask)
  const ranges = valuesOf(valueOf(await ask('AT+CNMI=?', { prefix: '+CNMI:' }), '+CNMI:') ?? '')
  const isWanted = (reports: Indications['reports']): boolean =>
    route === 'auto' || reports === 'none' || reports === route
  const flush = flushIn(ranges)
  for (const [wanted, reports] of choices) {
    const values = wanted.replace(/0$/, flush)
    if (!isWanted(reports) || !isInRanges(values, ranges)) continue
    if ((await ask(`AT+CNMI=${values}`)).kind === 'ok') return { reports, values, acknowledges }
  }
  return { reports: 'none', values: null, acknowledges }
}

/**
 * Refuses what a process that ended may have left unacknowledged: its time would run out after CNMI is set, and would set
 * mt and ds to 0. A refusal makes the network bring it again, as that time does. A plain AT+CNMA would acknowledge what may
 * never have been stored. The error says that nothing is open (CMS 340), or that the modem takes no `=2` (Siemens MC55).
 */
async function refuseLeftOpen(ask: Ask): Promise<void> {
  await ask('AT+CNMA=2')
}

/**
 * Returns whether the modem still has these values; what it does not say counts as yes. After an acknowledgement that
 * it missed, a modem sets mt and ds to 0 without a word (TS 27.005, section 3.4.4).
 */
export async function hasIndications(ask: Ask, { values }: Pick<Indications, 'values'>): Promise<boolean> {
  if (values === null) return true
  const read = valuesOf(valueOf(await ask('AT+CNMI?', { prefix: '+CNMI:' }), '+CNMI:') ?? '')
  const [, mt, , ds] = valuesOf(values)
  const isSame = (value: string | undefined, wanted: string | undefined): boolean =>
    value === undefined || value === '' || value === wanted
  return isSame(read[1], mt) && isSame(read[3], ds)
}

/** The value of bfr: 0 where the modem has it or does not say, else the first that it has. */
function flushIn(ranges: readonly string[]): string {
  const digits = /\d/.exec(ranges[4] ?? '')?.[0] ?? '0'
  return (ranges[4] ?? '').includes('0') ? '0' : digits
}

/** Each value must be in its range, `(0-2)`, `(0,1,3)` or `2`; without ranges every choice is tried. */
function isInRanges(values: string, ranges: readonly string[]): boolean {
  if (ranges.length < 5) return true
  return valuesOf(values).every((value, place) => {
    const range = (ranges[place] ?? '').replaceAll(/[()]/g, '')
    return range.split(',').some((each) => {
      const [first = '', last = first] = each.split('-')
      return Number(first) <= Number(value) && Number(value) <= Number(last)
    })
  })
}
