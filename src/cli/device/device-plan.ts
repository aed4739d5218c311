import { removePlan, setPlan } from '../../devices/core/set-plan.ts'
import { type PlanView, readPlanViews } from '../../devices/plans/plan-view.ts'
import { zoneOfNumber } from '../../devices/plans/zone-of-number.ts'
import { simSetting } from '../../devices/core/sim-number.ts'
import type { ListedDevice } from '../../devices/status/list-devices.ts'
import { renderPlan } from '../../api/v1/plan-view.ts'
import { command } from '../core/command.ts'
import { cliActor } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'

const limit = (of: string) =>
  ({ type: 'number', value: 'N', summary: `Maximum ${of}; 0 removes the limit.` }) as const

export const plan = command({
  summary: 'Sets what the contract of a SIM includes, or shows what was used of it.',
  details:
    'A SIM that has reached its plan sends nothing more until the next day or month; one at its limit of numbers still sends to those of this month. Other SIMs and devices carry the rest, or it waits. What the SIM sent before the plan was set is not counted. Of a phone that chooses its SIM itself, each message counts for all of its plans: set sim_selection=rotate to count each SIM exactly.',
  arguments: [deviceArgument],
  options: {
    sim: { type: 'number', value: 'SLOT', summary: 'Slot of the SIM, from 1. Default: 1.' },
    'parts-per-day': limit('parts per day, at least 10'),
    'parts-per-month': limit('parts per month, at least 10'),
    'numbers-per-month': limit('different numbers per month'),
    'month-starts': {
      type: 'number',
      value: 'DAY',
      summary: 'Day of the month on which the month of the contract starts. Default: 1.',
    },
    zone: {
      type: 'text',
      value: 'ZONE',
      summary:
        'Time zone of its days. Default: that of the country of its number, else that of this machine.',
    },
    remove: { type: 'flag', summary: 'Remove the plan of the SIM.' },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    const { sim = 1, remove } = options
    const change = changeOf(options)
    if (remove && Object.keys(change).length > 0)
      throw new UsageError('Give either --remove or limits, not both.')
    const nowMs = tools.clock.now()
    const deps = { ids: tools.ids, nowMs }
    const plans = await tools.withStorage(async ({ read, writer }) => {
      const device = await findDevice(read, deviceId)
      if (remove) await writer.write((tx) => removePlan(tx, deps, { deviceId, sim, actor: cliActor }))
      if (Object.keys(change).length > 0) {
        const zoneIfNew = zoneOf(device, sim, nowMs)
        await writer.write((tx) =>
          setPlan(tx, deps, { deviceId, sim, ...change, zoneIfNew, actor: cliActor }),
        )
      }
      return readPlanViews(read, [deviceId], nowMs)
    })
    return {
      json: { device_id: deviceId, sim_plans: plans.map(renderPlan) },
      text: plans.length === 0 ? 'No SIM plan.' : plans.map(describePlan).join('\n'),
    }
  },
})

/** Only what is given changes. */
function changeOf(options: {
  'parts-per-day'?: number | undefined
  'parts-per-month'?: number | undefined
  'numbers-per-month'?: number | undefined
  'month-starts'?: number | undefined
  zone?: string | undefined
}) {
  const limitOf = (value: number) => (value === 0 ? null : value)
  return {
    ...(options['parts-per-day'] !== undefined && { partsPerDay: limitOf(options['parts-per-day']) }),
    ...(options['parts-per-month'] !== undefined && { partsPerMonth: limitOf(options['parts-per-month']) }),
    ...(options['numbers-per-month'] !== undefined && {
      numbersPerMonth: limitOf(options['numbers-per-month']),
    }),
    ...(options['month-starts'] !== undefined && { monthStarts: options['month-starts'] }),
    ...(options.zone !== undefined && { zone: options.zone }),
  }
}

/** The number of the SIM as set or reported, else a number that the device sends from, says which country it is of. */
function zoneOf(device: ListedDevice, sim: number, nowMs: number): string {
  const numbers = [
    device.settings[simSetting(sim)],
    device.report?.body.sims.find(({ slot }) => slot === sim)?.number,
    ...device.senders.filter((sender) => sender.startsWith('+')),
  ]
  const zones = numbers.flatMap((number) => (number ? (zoneOfNumber(number, nowMs) ?? []) : []))
  return zones[0] ?? Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Formats a plan in one line. */
function describePlan(view: PlanView): string {
  const { sim, zone, monthFrom, monthUntil, reachedOn } = view
  const of = (used: number, most: number | null, what: string): string[] =>
    most === null ? [] : [`${used} of ${most} ${what}`]
  return [
    `SIM ${sim}`,
    ...of(view.partsToday, view.partsPerDay, 'parts today'),
    ...of(view.partsThisMonth, view.partsPerMonth, 'parts this month'),
    ...of(view.numbersThisMonth, view.numbersPerMonth, 'numbers this month'),
    `month from ${monthFrom} to ${monthUntil}, ${zone}`,
    ...(reachedOn === null ? [] : [`reached on ${reachedOn}`]),
  ].join('  ')
}
