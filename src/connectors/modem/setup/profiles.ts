/** What differs between modems, by their makers. */
export interface Profile {
  name: ProfileName
  /** Stops noise, or sets what the rest relies on; refusals are ignored. */
  first: readonly string[]
  /** Asks for the ICCID. */
  iccid: readonly string[]
  /** Asks for the tries that are left of the PIN. */
  tries: readonly TriesQuery[]
}

export type ProfileName = (typeof profileNames)[number]
export type TriesQuery = keyof typeof triesQueries

/** By how the answer begins, and which of its values are the tries left of PIN 1. */
export const triesQueries = {
  /** 3GPP TS 27.007, section 8.65: `+CPINR: SIM PIN,3,3`. */
  'AT+CPINR': { prefix: '+CPINR: SIM PIN', place: 1 },
  /** Huawei: `^CPIN: SIM PIN,3,10,3,10,3`: of the code that it awaits, PUK, PIN, PUK2, PIN2. */
  'AT^CPIN?': { prefix: '^CPIN:', place: 3 },
  /** Quectel: `+QPINC: "SC",3,10`. */
  'AT+QPINC="SC"': { prefix: '+QPINC:', place: 1 },
  /** SIMCom: `+SPIC: 3,10,0,10`. */
  'AT+SPIC': { prefix: '+SPIC:', place: 0 },
} as const

export const profileNames = ['generic', 'huawei', 'simcom', 'simcom-lte', 'quectel', 'zte', 'sierra', 'wavecom'] as const // prettier-ignore

const any: Profile = {
  name: 'generic',
  first: [],
  iccid: ['AT+CCID', 'AT+CRSM=176,12258,0,0,10'],
  tries: ['AT+CPINR'],
}

const profiles: Readonly<Record<ProfileName, Profile>> = {
  generic: any,
  huawei: { ...any, name: 'huawei', first: ['AT^CURC=0', 'AT^USSDMODE=0'], iccid: ['AT^ICCID?', ...any.iccid], tries: ['AT^CPIN?', 'AT+CPINR'] },
  simcom: { ...any, name: 'simcom', tries: ['AT+SPIC', 'AT+CPINR'] },
  'simcom-lte': { ...any, name: 'simcom-lte', iccid: ['AT+CICCID', ...any.iccid], tries: ['AT+SPIC', 'AT+CPINR'] },
  quectel: { ...any, name: 'quectel', iccid: ['AT+QCCID', ...any.iccid], tries: ['AT+QPINC="SC"', 'AT+CPINR'] },
  zte: { ...any, name: 'zte', iccid: ['AT+ZICCID?', ...any.iccid] },
  sierra: { ...any, name: 'sierra', iccid: ['AT+ICCID?', ...any.iccid] },
  wavecom: { ...any, name: 'wavecom' },
} // prettier-ignore

/** By maker and model, as +CGMI and +CGMM name them; the first that fits. */
const makers: readonly [pattern: RegExp, name: ProfileName][] = [
  [/huawei/i, 'huawei'],
  [/sim(?:com)?[_ -]?7\d{3}|a76\d{2}/i, 'simcom-lte'],
  [/simcom|sim\d{3}/i, 'simcom'],
  [/quectel/i, 'quectel'],
  [/zte/i, 'zte'],
  [/sierra/i, 'sierra'],
  [/wavecom/i, 'wavecom'],
]

/** Returns the profile of this name, or with `auto` that of this maker and model. */
export function profileOf(name: ProfileName | 'auto', maker: string | null, model: string | null): Profile {
  if (name !== 'auto') return profiles[name]
  const words = `${maker ?? ''} ${model ?? ''}`
  return profiles[makers.find(([pattern]) => pattern.test(words))?.[1] ?? 'generic']
}
