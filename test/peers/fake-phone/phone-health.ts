import type { StoredMessage } from './message-store.ts'
import type { PhoneKnobs } from './phone-knobs.ts'

type Status = 'pass' | 'warn' | 'fail'

interface Check {
  status: Status
  observedValue: number
  observedUnit: string
  description: string
}

/** What `system:ping` tells of the phone. */
export interface Health {
  version: string
  releaseId: number
  status: Status
  checks: Record<string, Check>
}

const hourMs = 3_600_000
const cellular4g = 4

export function describeHealth(
  { appVersion, batteryPercent, isCharging }: PhoneKnobs,
  messages: readonly StoredMessage[],
  nowMs: number,
): Health {
  const lastHour = messages.filter(({ states }) => Math.max(...Object.values(states)) > nowMs - hourMs)
  const failed = lastHour.filter(({ states }) => states.Failed !== undefined).length
  const check = (
    status: Status,
    observedValue: number,
    observedUnit: string,
    description: string,
  ): Check => ({
    status,
    observedValue,
    observedUnit,
    description,
  })
  const checks = {
    'battery:level': check(
      batteryStatus(batteryPercent),
      batteryPercent,
      'percent',
      'Battery level in percent',
    ),
    'battery:charging': check('pass', isCharging ? 1 + 2 : 0, 'flags', 'Is the phone charging?'),
    'connection:status': check('pass', 1, 'boolean', 'Internet connection status'),
    'connection:transport': check('pass', 2, 'flags', 'Network transport type'),
    'connection:cellular': check('pass', cellular4g, 'index', 'Cellular network type'),
    'messages:failed': check(
      failedStatus(failed, lastHour.length),
      failed,
      'messages',
      'Failed messages for last hour',
    ),
  }
  const all = Object.values(checks).map(({ status }) => status)
  const worst = (['fail', 'warn'] as const).find((status) => all.includes(status)) ?? 'pass'
  return { version: appVersion, releaseId: 1, status: worst, checks }
}

function batteryStatus(percent: number): Status {
  if (percent < 10) return 'fail'
  return percent < 25 ? 'warn' : 'pass'
}

function failedStatus(failed: number, all: number): Status {
  if (failed === 0) return 'pass'
  return failed === all ? 'fail' : 'warn'
}
