import { rfc3339 } from '../clock.ts'
import { reportLifetimeMs } from '../devices/device-report.ts'
import type { ListedDevice } from '../devices/list-devices.ts'
import type { ListedPhone } from '../devices/list-phones.ts'
import type { DeviceCheck } from './device-view.ts'
import { describePhone, phoneProgress } from '../devices/phone-progress.ts'

/** What makes a phone able to send, beside what every device needs: an app that registered, was heard, keeps its stream open, and sees a SIM. */
export function examinePhone(device: ListedDevice, phone: ListedPhone | null, nowMs: number): DeviceCheck[] {
  if (phone === null) {
    const owner = device.accountId === null ? '--shared' : `--account ${device.accountId}`
    const says = `No app is registered as it: onesixty device connect android ${owner}`
    return [{ name: 'registered', ok: false, says }]
  }
  const steps = phoneProgress(phone, device.report, nowMs).filter(({ name }) => name !== 'registered')
  return [
    {
      name: 'registered',
      ok: true,
      says: `Registered at ${rfc3339(phone.createdAt)}: ${describePhone(phone)}.`,
    },
    contactCheck(device.report, nowMs),
    receivingCheck(device.report),
    ...steps.map(({ name, isDone, says }) => ({
      name: name.replace(' ', '_'),
      // Nothing is wrong with a phone that has not told its battery yet.
      ok: isDone || name === 'battery',
      says: `${name}: ${says}`,
    })),
  ]
}

/**
 * Sending works by whatever address the app was given; for what it receives the phone is told one, and the server has said of it whether that can be its own.
 * The settings of this command say nothing of it: a service has an environment of its own.
 */
function receivingCheck(report: ListedDevice['report']): DeviceCheck {
  const name = 'receiving'
  if (report?.reasons.includes('receives_nothing') === true)
    return {
      name,
      ok: false,
      says: 'The phone is told an address of its own machine for what it receives. Set ONESIXTY_PUBLIC_URL to the address that the phone has to use, and restart the server.',
    }
  return report?.status === 'online' || report?.status === 'degraded'
    ? {
        name,
        ok: true,
        says: 'For what it receives it is told an address that can be the one of the server.',
      }
    : { name, ok: true, says: 'Whether it can hand on what it receives is known once it is online.' }
}

function contactCheck(report: ListedDevice['report'], nowMs: number): DeviceCheck {
  const name = 'last_contact'
  const lastSeenAt = report?.body.lastSeenAt ?? null
  if (lastSeenAt === null) return { name, ok: false, says: 'It was not heard yet.' }
  const says = `Last heard at ${rfc3339(lastSeenAt)}, ${spanOf(nowMs - lastSeenAt)} ago.`
  return report !== null && nowMs - report.reportedAt > reportLifetimeMs
    ? {
        name,
        ok: false,
        says: `${says} Nothing is known since ${rfc3339(report.reportedAt)}: is the server running?`,
      }
    : { name, ok: true, says }
}

function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
