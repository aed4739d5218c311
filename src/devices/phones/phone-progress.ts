import { type DeviceReportBody, reportLifetimeMs } from '../status/device-report.ts'
import type { ListedDevice } from '../status/list-devices.ts'
import type { ListedPhone } from './list-phones.ts'

/** How far a phone has come on its way to being connected. */
export interface PhoneStep {
  name: 'registered' | 'event stream' | 'SIMs' | 'battery'
  isDone: boolean
  /** What is known; or what a person has to do, when it is on them. */
  says: string
}

const noSse =
  'the phone waits for Google push, which only the makers of the app can send. In the app: Settings, Cloud Server, Notification channel: SSE Only; then switch the server off and on'

/** The four things that tell a person that the phone is there; without a phone the first one waits. */
export function phoneProgress(
  phone: ListedPhone | null,
  report: ListedDevice['report'],
  nowMs: number,
): PhoneStep[] {
  const fresh = report !== null && nowMs - report.reportedAt <= reportLifetimeMs ? report.body : null
  return [
    phone === null
      ? { name: 'registered', isDone: false, says: 'waiting for the phone' }
      : { name: 'registered', isDone: true, says: `${phone.deviceId}, ${describePhone(phone)}` },
    { name: 'event stream', ...streamStep(phone, fresh) },
    { name: 'SIMs', ...simStep(phone, fresh) },
    { name: 'battery', ...batteryStep(phone, fresh) },
  ]
}

/** An event stream is what makes a phone usable: SIMs and battery may come later. */
export const isConnected = (steps: readonly PhoneStep[]): boolean =>
  steps.some(({ name, isDone }) => name === 'event stream' && isDone)

export const describePhone = ({ name, appVersion }: ListedPhone): string =>
  `${name === '' ? 'a phone' : name.replace('/', ' ')}, app ${appVersion ?? 'of an unknown version'}`

type Step = Omit<PhoneStep, 'name'>

function streamStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (report?.link === 'stream') return { isDone: true, says: 'open' }
  if (phone === null) return { isDone: false, says: '' }
  if (phone.usesPush) return { isDone: false, says: noSse }
  return {
    isDone: false,
    says: report?.link === 'poll' ? 'not open; the phone asks every 15 minutes' : 'waiting for it',
  }
}

function simStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (phone === null) return { isDone: false, says: '' }
  const told = report === null || report.sims.length === 0 ? phone.sims : report.sims
  if (told.length === 0)
    return {
      isDone: false,
      says: 'the app sees none: put one in, and let the app read the state of the phone (permission Phone)',
    }
  const sims = told.map(({ slot, number, carrier }) => [slot, number ?? carrier ?? 'unknown'].join(': '))
  return { isDone: true, says: sims.join(', ') }
}

function batteryStep(phone: ListedPhone | null, report: DeviceReportBody | null): Step {
  if (phone === null) return { isDone: false, says: '' }
  const battery = report?.battery ?? null
  return battery === null
    ? { isDone: false, says: 'told by the app from its next start on, every 10 minutes' }
    : { isDone: true, says: `${battery.percent} %${battery.charging ? ', charging' : ''}` }
}
