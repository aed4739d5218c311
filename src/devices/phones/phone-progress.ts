import type { DeviceReportBody } from '../../storage/tables/json-columns.ts'
import { reportLifetimeMs } from '../status/device-report.ts'
import type { ListedDevice } from '../status/list-devices.ts'
import type { ListedPhone } from './list-phones.ts'

/** A step towards a connected phone. */
export interface PhoneStep {
  name: 'registered' | 'event stream' | 'SIMs' | 'battery'
  isDone: boolean
  /** What is known; or what the user has to do. */
  summary: string
}

const noSse =
  'the app uses Google push, which only its developers can send. In the app, set Settings, Cloud Server, Notification channel to SSE Only; then switch the server off and on'

/** Returns the four steps that show the connection of a phone; without a phone the first one is pending. */
export function phoneProgress(
  phone: ListedPhone | null,
  report: ListedDevice['report'],
  nowMs: number,
): PhoneStep[] {
  const fresh = report !== null && nowMs - report.reportedAt <= reportLifetimeMs ? report.body : null
  return [
    phone === null
      ? { name: 'registered', isDone: false, summary: 'waiting for the phone' }
      : { name: 'registered', isDone: true, summary: `${phone.deviceId}, ${describePhone(phone)}` },
    { name: 'event stream', ...streamStep(phone, fresh) },
    { name: 'SIMs', ...simStep(phone, fresh) },
    { name: 'battery', ...batteryStep(phone, fresh) },
  ]
}

/** The phone is usable once its event stream is open: SIMs and battery may follow later. */
export const isConnected = (steps: readonly PhoneStep[]): boolean =>
  steps.some(({ name, isDone }) => name === 'event stream' && isDone)

export const describePhone = ({ name, appVersion }: ListedPhone): string =>
  `${name === '' ? 'a phone' : name.replace('/', ' ')}, app ${appVersion ?? 'of an unknown version'}`

type Step = Omit<PhoneStep, 'name'>

function streamStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (report?.link === 'stream') return { isDone: true, summary: 'open' }
  if (report?.link === 'visit') return { isDone: true, summary: 'not needed: this server visits the phone' }
  if (phone === null) return { isDone: false, summary: '' }
  if (phone.usesPush) return { isDone: false, summary: noSse }
  return {
    isDone: false,
    summary:
      report?.link === 'poll' ? 'not open; the phone polls every 15 minutes' : 'waiting for the stream',
  }
}

function simStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (phone === null) return { isDone: false, summary: '' }
  const reported = report === null || report.sims.length === 0 ? phone.sims : report.sims
  if (reported.length === 0)
    return {
      isDone: false,
      summary: 'none found: insert a SIM, and grant the app the permission Phone',
    }
  const sims = reported.map(({ slot, number, carrier }) => [slot, number ?? carrier ?? 'unknown'].join(': '))
  return { isDone: true, summary: sims.join(', ') }
}

function batteryStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (phone === null) return { isDone: false, summary: '' }
  const battery = report?.battery ?? null
  return battery === null
    ? { isDone: false, summary: 'reported every 10 minutes, after the next start of the app' }
    : { isDone: true, summary: `${battery.percent}%${battery.charging ? ', charging' : ''}` }
}
