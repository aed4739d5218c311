import { Type } from 'typebox'
import type { FoundPort } from '../../../connectors/connector-tools.ts'
import { addedKinds, factsOf } from '../../../connectors/registry.ts'
import { nodeNameOf } from '../../../process/node-name.ts'
import { closed } from '../../../runtime/schemas.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { readJson } from '../../../storage/tables/json-columns.ts'
import { defineCall } from '../core/call.ts'

/** A serial port, for a form. */
export interface ShownPort {
  /** Value of the setting. */
  path: string
  /** What is known about it: names, driver, interface. */
  about: string
  isLikely: boolean
  /** What keeps the server from using it, and which device has it, in sentences. */
  faults: string[]
}

/** The serial ports of the node that was asked. */
export interface ShownPorts {
  node: string
  /** Whether other nodes may share the database: a device at one of these ports must then name its node. */
  mayHaveOthers: boolean
  /** Likely ones first. */
  ports: ShownPort[]
  /** Devices without a port, each with what to do about it. */
  withoutPort: { name: string; remedy: string }[]
}

export const portCalls = {
  /** Lists the serial ports of this node by its files; opens none. The operator alone: they are of the machine, not of an account. */
  'devices/ports': defineCall({
    kind: 'read',
    access: 'operator',
    input: Type.Object({}, closed),
    async handle({ ports, config, read }): Promise<ShownPorts> {
      const node = nodeNameOf(config)
      const [found, users] = await Promise.all([ports.devices.serialPorts(), readUsers(read, node)])
      const shown = found.ports.map((port) => showPort(port, users))
      return {
        node,
        mayHaveOthers: config.databaseUrl !== null,
        ports: [...shown.filter(({ isLikely }) => isLikely), ...shown.filter(({ isLikely }) => !isLikely)],
        withoutPort: found.withoutPort.map(({ maker, product, vendorId, productId, remedy }) => ({
          name: namesOf(maker, product) || `${vendorId}:${productId}`,
          remedy,
        })),
      }
    },
  }),
}

/** More devices than ports of a machine. */
const maxUsers = 1_000

/** Returns the names of the devices that have a port of a node, by its path. */
async function readUsers(read: Db, node: string): Promise<Map<string, string>> {
  const facts = addedKinds.flatMap((kind) => factsOf(kind) ?? [])
  const withPorts = facts.filter(({ portSetting }) => portSetting !== undefined)
  const rows = await read
    .selectFrom('devices')
    .select(['kind', 'name', 'settings'])
    .where('kind', 'in', withPorts.map(({ kind }) => kind))
    .where('state', '!=', 'retired')
    .orderBy('id')
    .limit(maxUsers)
    .execute() // prettier-ignore
  return new Map(
    rows.flatMap(({ kind, name, settings: stored }) => {
      const { portSetting = '', nodeSetting = '' } = factsOf(kind) ?? {}
      const settings = readJson(stored)
      const isHere = (settings[nodeSetting] ?? node) === node
      return isHere ? [[settings[portSetting] ?? '', name] as const] : []
    }),
  )
}

function showPort(
  { path, node, driver, usb, isLikely, faults }: FoundPort,
  users: ReadonlyMap<string, string>,
): ShownPort {
  const facts = [
    namesOf(usb?.maker ?? null, usb?.product ?? null),
    usb === null || usb.interfaceNumber === null ? '' : `interface ${usb.interfaceNumber}`,
    driver === null ? '' : `driver ${driver}`,
    node === path ? '' : node,
  ]
  const user = users.get(path) ?? users.get(node)
  return {
    path,
    about: facts.filter((fact) => fact !== '').join(', '),
    isLikely,
    faults: [
      ...faults.map(({ detail }) => detail),
      ...(user === undefined ? [] : [`The device ${user} has it.`]),
    ],
  }
}

const namesOf = (maker: string | null, product: string | null): string =>
  [...new Set([maker, product])].filter((name) => name !== null).join(' ')
