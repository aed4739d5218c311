import { rfc3339 } from '../../runtime/clock.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import type { ListedDevice } from '../../devices/status/list-devices.ts'
import type { ListedPhone } from '../../devices/phones/list-phones.ts'
import type { DeviceCheck } from './print-device.ts'
import { describePhone, phoneProgress } from '../../devices/phones/phone-progress.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Checks that only phones have: the app registered, was seen, keeps its stream open, and has a SIM. */
export function examinePhone(device: ListedDevice, phone: ListedPhone | null, nowMs: number): DeviceCheck[] {
  if (phone === null) {
    const owner = device.accountId === null ? '--shared' : `--account ${device.accountId}`
    const summary = `No app has registered: ${ownCommand()} device connect android ${owner}`
    return [{ name: 'registered', ok: false, summary }]
  }
  const steps = phoneProgress(phone, device.report, nowMs).filter(({ name }) => name !== 'registered')
  return [
    {
      name: 'registered',
      ok: true,
      summary: `Registered at ${rfc3339(phone.createdAt)}: ${describePhone(phone)}.`,
    },
    contactCheck(device.report, nowMs),
    receivingCheck(device.report),
    ...steps.map(({ name, isDone, summary }) => ({
      name: name.replace(' ', '_'),
      // A phone that has not reported its battery yet is fine.
      ok: isDone || name === 'battery',
      summary: `${name}: ${summary}`,
    })),
  ]
}

/**
 * Checks the address to which the phone delivers received messages. The server's report has the result: it sends this
 * address to the phone, and the settings of this command can differ from the server's.
 */
function receivingCheck(report: ListedDevice['report']): DeviceCheck {
  const name = 'receiving'
  if (report?.reasons.includes('receives_nothing') === true)
    return {
      name,
      ok: false,
      summary:
        'Received messages are lost: the phone was configured with a loopback address. Set ONESIXTY_PUBLIC_URL to an address that the phone can reach, and restart the server.',
    }
  if (report?.reasons.includes('hook_address_differs') === true)
    return {
      name,
      ok: false,
      summary: 'Received messages may be lost: the phone was given another host for them than it uses.',
    }
  if (report?.reasons.includes('hooks_silent') === true)
    return { name, ok: false, summary: 'The phone has reported no event for two hours.' }
  return report?.status === 'online' || report?.status === 'degraded'
    ? {
        name,
        ok: true,
        summary: 'The phone delivers received messages to an address that can be reached.',
      }
    : { name, ok: true, summary: 'Whether received messages arrive is known once the phone is online.' }
}

function contactCheck(report: ListedDevice['report'], nowMs: number): DeviceCheck {
  const name = 'last_contact'
  const lastSeenAt = report?.body.lastSeenAt ?? null
  if (lastSeenAt === null) return { name, ok: false, summary: 'The phone was never seen.' }
  const summary = `Last seen at ${rfc3339(lastSeenAt)}, ${spanOf(nowMs - lastSeenAt)} ago.`
  return report !== null && nowMs - report.reportedAt > reportLifetimeMs
    ? {
        name,
        ok: false,
        summary: `${summary} No report since ${rfc3339(report.reportedAt)}: is the server running?`,
      }
    : { name, ok: true, summary }
}

function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
