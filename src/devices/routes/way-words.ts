import type { HoursJson, RuleStageJson } from '../../storage/tables/route-tables.ts'
import { isZone } from '../plans/plan-days.ts'

/*
 * Ways as commands and pages write them: `own; grp_net after=5m`, `dev_a*70,dev_b*30; dev_c offline=never`.
 * Stages are separated by `;`, their devices by `,`; words with `=` say what opens a stage.
 */

/** A way that cannot be read, or is too large: what is wrong, and what to write instead. */
export class WayFault extends Error {
  override name = 'WayFault'
}

export const maxStages = 8
const maxNames = 16
const maxWeight = 1_000_000
/** Ways of one rule: each is a route of its own in the queue. */
const maxOutcomes = 64

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
/** Longer than any message waits. */
const maxSeconds = 30 * 86_400

/** Reads a way. Throws a `WayFault`. */
export function readWay(text: string): RuleStageJson[] {
  const stages = text.split(';').map((stage, i) => readStage(stage.trim(), i))
  if (stages.length > maxStages) throw new WayFault(`A way has at most ${maxStages} stages.`)
  const outcomes = stages.reduce((all, { weights, use }) => all * (weights === undefined ? 1 : use.length), 1)
  if (outcomes > maxOutcomes)
    throw new WayFault(
      `The weights of these stages give ${outcomes} ways; at most ${maxOutcomes} are possible.`,
    )
  return stages
}

function readStage(text: string, place: number): RuleStageJson {
  const [names = '', ...words] = text.split(/\s+/)
  if (names === '') throw new WayFault('A stage is empty. Write devices, groups, own or shared.')
  const stage: RuleStageJson = readNames(names)
  for (const word of words) Object.assign(stage, readWord(word))
  const opens = ['offlineSeconds', 'afterSeconds', 'busy'].some((name) => name in stage)
  if (place === 0 && opens)
    throw new WayFault('The first stage is open from the start: it takes no offline, after or busy.')
  if (stage.weights !== undefined && stage.by !== undefined)
    throw new WayFault('A stage has either weights or by=listed, not both.')
  return stage
}

const nameForm = /^(?:own|shared|(?:dev|grp)_[0-9a-z_]{1,60})$/

function readNames(text: string): RuleStageJson {
  const named = text.split(',').map((entry) => entry.split('*'))
  const use = named.map(([name = '']) => name)
  const wrong = use.find((name) => !nameForm.test(name))
  if (wrong !== undefined)
    throw new WayFault(`'${wrong}' is no device (dev_…) or group (grp_…), nor own or shared.`)
  if (use.length > maxNames) throw new WayFault(`A stage names at most ${maxNames} devices and groups.`)
  if (new Set(use).size < use.length) throw new WayFault('A stage names a device twice.')
  if (named.every((entry) => entry.length === 1)) return { use }
  const weights = named.map(([name, weight = '', ...rest]) => {
    const value = Number(weight)
    if (rest.length > 0 || !Number.isInteger(value) || value < 1 || value > maxWeight)
      throw new WayFault(`Give each name of this stage a weight from 1 to ${maxWeight}, such as ${name}*70.`)
    return value
  })
  return { use, weights }
}

function readWord(word: string): Partial<RuleStageJson> {
  if (word === 'busy') return { busy: true }
  const [name = '', value = ''] = word.split('=', 2)
  switch (name) {
    case 'after':
      return { afterSeconds: readSeconds(name, value) }
    case 'offline':
      return { offlineSeconds: value === 'never' ? null : readSeconds(name, value) }
    case 'by':
      if (value === 'load') return {}
      if (value === 'listed') return { by: 'listed' }
      throw new WayFault(`by is load or listed, not '${value}'.`)
    case 'hours':
      return { hours: readHours(value) }
    default:
      throw new WayFault(`'${word}' is unknown here. A stage takes after=, offline=, by=, hours= and busy.`)
  }
}

function readSeconds(name: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN)
  if (!Number.isInteger(seconds) || seconds > maxSeconds)
    throw new WayFault(`${name} is a time such as 30s, 5m or 2h, of up to 30d, not '${text}'.`)
  return seconds
}

function readHours(text: string): HoursJson {
  const [, fromHour, fromMinute, untilHour, untilMinute, zone = 'UTC'] =
    /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)(?:@([A-Za-z0-9_+/-]{1,60}))?$/.exec(text) ?? []
  if (fromHour === undefined || !isZone(zone))
    throw new WayFault(`hours are a range and a time zone, such as 08:00-20:00@Europe/Berlin, not '${text}'.`)
  const [from, until] = [
    Number(fromHour) * 60 + Number(fromMinute),
    Number(untilHour) * 60 + Number(untilMinute),
  ]
  if (from === until) throw new WayFault('hours must not begin when they end. Leave them out for all day.')
  return { from, until, zone }
}

/** Writes a way as `readWay` reads it. */
export const writeWay = (stages: readonly RuleStageJson[]): string => stages.map(writeStage).join('; ')

const writeStage = (stage: RuleStageJson): string =>
  [
    stage.use
      .map((name, i) => (stage.weights === undefined ? name : `${name}*${stage.weights[i]}`))
      .join(','),
    ...(stage.by === undefined ? [] : [`by=${stage.by}`]),
    ...(stage.offlineSeconds === undefined
      ? []
      : [`offline=${stage.offlineSeconds === null ? 'never' : writeSeconds(stage.offlineSeconds)}`]),
    ...(stage.afterSeconds === undefined ? [] : [`after=${writeSeconds(stage.afterSeconds)}`]),
    ...(stage.busy === undefined ? [] : ['busy']),
    ...(stage.hours === undefined ? [] : [`hours=${writeHours(stage.hours)}`]),
  ].join(' ')

/** The largest unit that says it exactly. */
const writeSeconds = (seconds: number): string => {
  const [unit, size] = Object.entries(unitSeconds)
    .toReversed()
    .find(([, each]) => seconds > 0 && seconds % each === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}

export const writeHours = ({ from, until, zone }: HoursJson): string =>
  `${clock(from)}-${clock(until)}@${zone}`

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
