import type { KindFacts } from '../../connectors/kind-facts.ts'
import { UsageError } from '../core/command-errors.ts'

/** What differs between devices that are added together. */
export interface OneOfEach {
  name: string
  settings: Readonly<Record<string, string>>
}

/** A pool of modems has at most 64; a slip of the pen adds no thousands. */
const most = 256

export const eachOption = {
  type: 'text',
  value: 'tcp://HOST:A-B',
  summary: 'Add a device for each of these ports; {n} in --name counts them from 1.',
} as const

/**
 * Returns the devices of `--each tcp://host:7001-7032`, with `{n}` of the name counted from 1; without `each`, the one
 * that is named. Throws a `UsageError` for a kind without ports, a range that is none, and a name for several devices.
 */
export function forEachPort(
  { kind, portSetting }: Pick<KindFacts, 'kind' | 'portSetting'>,
  each: string | undefined,
  { name, settings, senders }: OneOfEach & { senders: readonly string[] },
): OneOfEach[] {
  if (each === undefined) return [{ name, settings }]
  if (portSetting === undefined)
    throw new UsageError(`--each is for kinds of devices with a port: ${kind} has none.`)
  if (settings[portSetting] !== undefined)
    throw new UsageError(`Give either --each or --set ${portSetting}=…, not both.`)
  if (senders.length > 0)
    throw new UsageError('Each device has a number of its own: set senders one by one with device set.')
  if (!name.includes('{n}')) throw new UsageError("--name needs {n} with --each, such as 'Pool {n}'.")
  const [, before = '', from, to] = /^(.+:)(\d{1,5})-(\d{1,5})$/.exec(each) ?? []
  const [first, last] = [Number(from), Number(to)]
  const count = last - first + 1
  if (!(count >= 1 && count <= most && last <= 65_535))
    throw new UsageError(
      `--each must be a range of up to ${most} ports, such as tcp://192.0.2.9:7001-7032, not '${each}'.`,
    )
  return Array.from({ length: count }, (_, index) => ({
    name: name.replaceAll('{n}', String(index + 1)),
    settings: { ...settings, [portSetting]: `${before}${first + index}` },
  }))
}
