import type { FoundPort, FoundPorts, ProbedPort } from '../../connectors/connector-tools.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { factsOf } from '../../connectors/registry.ts'
import { ownCommand } from '../../process/own-command.ts'

/** Returns the lines of `device discover`: each port, what is wrong with it, and what to do next. */
export function describePorts(
  kind: string,
  { ports, withoutPort, knowsHolders }: FoundPorts,
  probed: readonly ProbedPort[],
): string[] {
  const lines = ports.flatMap((port) => [
    port.path,
    `      ${factsLine(port)}`,
    ...port.faults.map(({ detail }) => `      ${detail}`),
    ...remediesOf(kind, port.faults.map(({ reason }) => reason)).map((remedy) => `      ${remedy}`), // prettier-ignore
    ...steadyLines(port),
    ...probed.filter((each) => each.port === port).flatMap((each) => probeLines(kind, each)),
  ]) // prettier-ignore
  for (const { vendorId, productId, maker, product, remedy } of withoutPort)
    lines.push(`${[maker, product].filter((name) => name !== null).join(' ') || 'A stick'}  ${vendorId}:${productId}`, `      ${remedy}`) // prettier-ignore
  if (ports.length === 0) lines.push('No serial port was found. Plug the modem in, or use a port over TCP.')
  if (ports.length > 0 && !knowsHolders)
    lines.push('Programs of other users may have ports open: only root can see that.')
  if (ports.some(({ isLikely }) => isLikely) && probed.length === 0)
    lines.push(`Ask the modems who they are: ${ownCommand()} device discover --probe`)
  return lines
}

function factsLine({ node, path, driver, usb, isLikely }: FoundPort): string {
  const names = [usb?.maker, usb?.product].filter((name) => name !== null && name !== undefined)
  const facts = [
    ...(node === path ? [] : [node]),
    ...(driver === null ? [] : [`driver ${driver}`]),
    ...(usb === null ? [] : [`USB ${usb.vendorId}:${usb.productId}`]),
    ...(usb === null || usb.interfaceNumber === null ? [] : [`interface ${usb.interfaceNumber}`]),
    ...(names.length === 0 ? [] : [names.join(' ')]),
    isLikely ? 'likely a modem' : 'not known as a modem',
  ]
  return facts.join(', ')
}

const steadyLines = ({ steadyBy, usb }: FoundPort): string[] => {
  if (steadyBy === 'socket')
    return ['      Its path is that of its socket: always plug it into the same one.']
  return steadyBy === null && usb !== null ? ['      Its path may change when it is plugged in again.'] : []
}

function probeLines(kind: string, probed: ProbedPort): string[] {
  const { fault, maker, model, serialEnd, operator, signalDbm, port } = probed
  if (maker === null && serialEnd === null && fault !== null)
    return port.faults.length > 0 ? [] : remediesOf(kind, [fault]).map((remedy) => `      ${remedy}`)
  const facts = [
    [maker, model].filter((name) => name !== null).join(' ') || 'A modem that does not name itself',
    ...(serialEnd === null ? [] : [`IMEI …${serialEnd}`]),
    `SIM ${simWord(fault)}`,
    ...(operator === null ? [] : [operator]),
    ...(signalDbm === null ? [] : [`${signalDbm} dBm`]),
  ]
  const remedies = fault === null ? [] : remediesOf(kind, [fault])
  return [facts.join(', '), ...remedies, addLine(kind, probed)].map((line) => `      ${line}`)
}

const simWord = (fault: string | null): string =>
  ({ no_sim: 'missing', sim_pin: 'locked by its PIN', sim_puk: 'locked by its PUK', sim_failed: 'broken', sim_busy: 'busy' })[fault ?? ''] ?? 'ready' // prettier-ignore

/** The command that adds the device at this port, to be copied. */
function addLine(kind: string, { port, maker, model, fault }: ProbedPort): string {
  // What a modem says about itself is not for a shell.
  const plain = [maker, model].join(' ').replaceAll(/[^A-Za-z0-9 ._-]/g, '').trim() // prettier-ignore
  const secret = fault === 'sim_pin' ? ' --secret-file pin=FILE' : ''
  const { portSetting = 'port' } = factsOf(kind) ?? {}
  return `${ownCommand()} device add ${kind} --shared --name "${plain || 'Modem'}" --set ${portSetting}=${port.path}${secret}`
}
