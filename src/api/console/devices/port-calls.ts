import { Type } from 'typebox'
import type { FoundPort } from '../../../connectors/connector-tools.ts'
import { nodeNameOf } from '../../../process/node-name.ts'
import { closed } from '../../../runtime/schemas.ts'
import { defineCall } from '../core/call.ts'

/** A serial port, for a form. */
export interface ShownPort {
  /** Value of the setting. */
  path: string
  /** What is known about it: names, driver, interface. */
  about: string
  isLikely: boolean
  /** What keeps the server from using it, in sentences. */
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
    async handle({ ports, config }): Promise<ShownPorts> {
      const found = await ports.devices.serialPorts()
      const shown = found.ports.map(showPort)
      return {
        node: nodeNameOf(config),
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

function showPort({ path, node, driver, usb, isLikely, faults }: FoundPort): ShownPort {
  const facts = [
    namesOf(usb?.maker ?? null, usb?.product ?? null),
    usb === null || usb.interfaceNumber === null ? '' : `interface ${usb.interfaceNumber}`,
    driver === null ? '' : `driver ${driver}`,
    node === path ? '' : node,
  ]
  const about = facts.filter((fact) => fact !== '').join(', ')
  return { path, about, isLikely, faults: faults.map(({ detail }) => detail) }
}

const namesOf = (maker: string | null, product: string | null): string =>
  [...new Set([maker, product])].filter((name) => name !== null).join(' ')
