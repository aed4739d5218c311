import type { ConnectorKind } from '../../connectors/connector.ts'
import { settingTroubles } from '../../connectors/try-device.ts'
import { nodeNameOf } from '../../process/node-name.ts'
import type { CommandContext } from '../core/command-context.ts'
import type { OneOfEach } from './each-port.ts'

interface Given extends OneOfEach {
  secrets: Readonly<Record<string, string>>
}

/** A modem that is not there takes seconds, and a pool has many. */
const atOnce = 8

/** Returns devices that are about to be added with the settings of `identifiedSettings`, a few at the same time. */
export async function identifyEach(
  tools: Pick<CommandContext, 'clock' | 'config' | 'withStorage'>,
  kind: ConnectorKind,
  devices: readonly OneOfEach[],
  secrets: Given['secrets'],
): Promise<OneOfEach[]> {
  const identify = async (device: OneOfEach): Promise<OneOfEach> => ({
    ...device,
    settings: await identifiedSettings(tools, kind, { ...device, secrets }),
  })
  const identified: OneOfEach[] = []
  for (let from = 0; from < devices.length; from += atOnce)
    identified.push(...(await Promise.all(devices.slice(from, from + atOnce).map(identify))))
  return identified
}

/**
 * Returns the settings of a device that is about to be added, with those by which it is recognised later, for a kind
 * that reads such from the device. Settings that the kind rejects are left to the store, which says why.
 */
async function identifiedSettings(
  tools: Pick<CommandContext, 'clock' | 'config' | 'withStorage'>,
  kind: ConnectorKind,
  { name, settings, secrets }: Given,
): Promise<Readonly<Record<string, string>>> {
  if (kind.identify === undefined || settingTroubles({ settings, hasSecrets: true }, kind).length > 0)
    return settings
  const { now, monotonicMs, schedule } = tools.clock
  const found = await kind.identify(
    { id: '', name, settings, secrets },
    { now, monotonicMs, schedule, random: Math.random, log: () => undefined },
    await ownNode(tools),
  )
  return { ...settings, ...found }
}

/** The name of the server of this data folder, where several share a database; null where there is one, or none has it. */
async function ownNode({
  config,
  withStorage,
}: Pick<CommandContext, 'config' | 'withStorage'>): Promise<string | null> {
  if (config.databaseUrl === null) return null
  const name = nodeNameOf(config)
  const node = await withStorage(({ read }) =>
    read
      .selectFrom('nodes')
      .select('name')
      .where('name', '=', name)
      .where('left_at', 'is', null)
      .executeTakeFirst(),
  )
  return node?.name ?? null
}
