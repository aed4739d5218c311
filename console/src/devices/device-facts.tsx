import { Alert, Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ConsoleDevice } from '../../../src/api/console/devices/device-view.ts'
import { formatNumber } from '../ui/format.ts'
import { TimeAgo } from '../ui/time-ago.tsx'

/** Lists what is known of a device; unknown facts are omitted. */
export function DeviceFacts({ device }: { device: ConsoleDevice }) {
  const { report } = device
  return (
    <Stack gap={4}>
      {report?.lastSeenAt ? (
        <Fact label="Last seen">
          <TimeAgo at={report.lastSeenAt} />
        </Fact>
      ) : null}
      {report?.lastSentAt ? (
        <Fact label="Last sent">
          <TimeAgo at={report.lastSentAt} />
        </Fact>
      ) : null}
      {report?.appVersion ? <Fact label="App">{report.appVersion}</Fact> : null}
      {report?.network ? <Fact label="Network">{networkOf(report.network)}</Fact> : null}
      {report !== null && report.sims.length > 0 ? (
        <Fact label="SIMs">
          {report.sims
            .map(({ slot, number, carrier }) =>
              [`${slot}: ${number ?? 'number not set'}`, carrier].filter(Boolean).join(', '),
            )
            .join(' · ')}
        </Fact>
      ) : null}
      {report?.credit ? (
        <Fact label="SIM credit">
          {formatNumber(report.credit.amount)}, <TimeAgo at={report.credit.at} />
        </Fact>
      ) : null}
      {report?.balance ? (
        <Fact label="Balance with the provider">
          {[formatNumber(report.balance.amount), report.balance.currency].filter(Boolean).join(' ')},{' '}
          <TimeAgo at={report.balance.at} />
        </Fact>
      ) : null}
      {device.canaries.map((canary) => (
        <Fact label="Canary" key={canary.id}>
          {canaryOf(canary)}
        </Fact>
      ))}
      <Fact label="In flight">{formatNumber(heldBy(device))}</Fact>
    </Stack>
  )
}

/** The latest run of a canary, and how many of the last hundred were lost. */
function canaryOf({ last, lost, runs, medianSeconds }: ConsoleDevice['canaries'][number]): string {
  const latest =
    last === null
      ? 'no run yet'
      : last.state === 'arrived' && last.seconds !== null
        ? `arrived after ${last.seconds.toFixed(1)} s`
        : last.state
  const median = medianSeconds === null ? [] : [`median ${medianSeconds.toFixed(1)} s`]
  return [latest, ...median, `${formatNumber(lost)} of ${formatNumber(runs)} lost`].join(', ')
}

/** Messages in flight: of this account, or on its own device of any account. */
export const heldBy = ({ queue }: ConsoleDevice): number => Math.max(queue.messages, queue.inFlight ?? 0)

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {label}
      </Text>
      <Text size="sm" ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Text>
    </Group>
  )
}

function networkOf(network: NonNullable<NonNullable<ConsoleDevice['report']>['network']>): string {
  const { transport, operator, signalDbm, roaming } = network
  const facts = [
    transport,
    operator,
    signalDbm === null ? null : `${signalDbm} dBm`,
    roaming === true ? 'roaming' : null,
  ]
  return facts.filter((fact) => fact !== null).join(', ')
}

/** Shows how much of its rate limit a device has used in the current window. */
export function PaceBar({ device }: { device: ConsoleDevice }) {
  const pace = device.report?.throughput ?? null
  if (pace === null) return null
  const used = pace.partsPerWindow - pace.remaining
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {formatNumber(used)} of {formatNumber(pace.partsPerWindow)} parts in{' '}
          {durationOf(pace.windowSeconds)}
        </Text>
        {pace.resetsAt === null ? null : (
          <Text size="xs" c="dimmed">
            new window <TimeAgo at={pace.resetsAt} />
          </Text>
        )}
      </Group>
      <Progress
        value={(used / pace.partsPerWindow) * 100}
        color={pace.remaining === 0 ? 'orange' : 'indigo'}
        aria-label="Rate limit used"
      />
    </Stack>
  )
}

/** Shows how much of the plan of each SIM is used. */
export function PlanBars({ device }: { device: ConsoleDevice }) {
  return device.plans.map((plan) => (
    <Stack gap={2} key={plan.sim}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">SIM {plan.sim}: plan</Text>
        <Text size="xs" c="dimmed">
          {plan.reachedOn === null
            ? `month ends ${plan.monthUntil}`
            : `reached on ${plan.reachedOn}, month ends ${plan.monthUntil}`}
        </Text>
      </Group>
      {limitsOf(plan).map(({ what, used, limit }) => (
        <Stack gap={2} key={what}>
          <Text size="sm">
            {formatNumber(used)} of {formatNumber(limit)} {what}
          </Text>
          <Progress
            value={Math.min(1, used / limit) * 100}
            color={used / limit >= 0.8 ? 'orange' : 'indigo'}
            aria-label={`SIM ${plan.sim}: ${what} used`}
          />
        </Stack>
      ))}
    </Stack>
  ))
}

function limitsOf(plan: ConsoleDevice['plans'][number]): { what: string; used: number; limit: number }[] {
  const limits = [
    { what: 'parts today', used: plan.partsToday, limit: plan.partsPerDay },
    { what: 'parts this month', used: plan.partsThisMonth, limit: plan.partsPerMonth },
    { what: 'numbers this month', used: plan.numbersThisMonth, limit: plan.numbersPerMonth },
  ]
  return limits.flatMap(({ limit, ...rest }) => (limit === null ? [] : [{ ...rest, limit }]))
}

function durationOf(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** Shows the remedies for current problems, and the last error. */
export function Troubles({ device }: { device: ConsoleDevice }) {
  const lastError = device.report?.lastError ?? null
  if (device.remedies.length === 0 && lastError === null) return null
  return (
    <Alert color={device.status === 'offline' ? 'red' : 'yellow'} variant="light" p="xs">
      <Stack gap={4}>
        {device.remedies.map((remedy) => (
          <Text size="sm" key={remedy}>
            {remedy.slice(remedy.indexOf(': ') + 2)}
          </Text>
        ))}
        {lastError === null ? null : (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Last error: {lastError}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
