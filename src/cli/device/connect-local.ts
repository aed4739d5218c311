import type { ConnectorKind } from '../../connectors/connector.ts'
import type { LocalDevice } from '../../connectors/connector-tools.ts'
import { factsOf } from '../../connectors/registry.ts'
import { localLogin, loginFaults, lookAtLocal, type LocalLogin } from '../../connectors/try-local.ts'
import { createPhoneDeps } from '../../devices/phones/phone-deps.ts'
import type { PhoneTokenOwner } from '../../devices/phones/phone-tokens.ts'
import type { PhoneDeps } from '../../devices/phones/registered-phones.ts'
import { storeLocalPhone } from '../../dispatch/devices/store-local-phone.ts'
import { createDeviceSecretBox } from '../../runtime/secret-box.ts'
import { askSecret } from '../core/ask-secret.ts'
import type { Output } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { readSecretFromStdin } from '../core/read-secrets.ts'
import { isTaken } from './device-taken.ts'
import { findDevice } from './device-lookup.ts'
import { ownCommand } from '../../process/own-command.ts'

export interface LocalOptions {
  local: string
  user?: string | undefined
  'password-stdin': boolean
}

const notTaken = (): string =>
  `No running server has started the device yet. Check ${ownCommand()} device list and the server log.`
const clearText =
  'Texts, numbers and the password cross your network unencrypted: use this only in a network that is yours.'

/**
 * Connects a phone by the Local Server of its app: asks for the password, checks both, and adds the device, or
 * changes the one that is named.
 */
export async function connectLocal(
  tools: CommandContext,
  kind: ConnectorKind,
  whose: PhoneTokenOwner | { deviceId: string },
  options: LocalOptions,
): Promise<Output> {
  const stored =
    'deviceId' in whose
      ? (await tools.withStorage(({ read }) => findDevice(read, whose.deviceId))).settings
      : {}
  // The user that is stored is the one that visits use: it is checked, too.
  const user = options.user ?? stored['local_user']
  for (const { name, fault } of loginFaults(kind, localLogin(options.local, user ?? '', '')))
    throw new UsageError(`${name === 'local_user' ? '--user' : '--local'} ${fault}.`)
  const password = options['password-stdin']
    ? await readSecretFromStdin(tools.io)
    : await askSecret(tools.io, 'Password of the Local Server, as the app shows it: ')
  const given = localLogin(options.local, user ?? '', password)
  const device = await look(tools, kind, given)
  const deps = await phoneDeps(tools, kind)
  return tools.withStorage(async ({ read, writer }) => {
    const id = await writer.write((tx) =>
      storeLocalPhone(tx, deps, { ...whose, actor: cliActor }, { given, device }),
    )
    const taken = await isTaken(tools.clock, read, id)
    return { json: { id, ...described(device), taken }, text: textOf(id, device, taken) }
  })
}

async function look({ clock }: CommandContext, kind: ConnectorKind, given: LocalLogin): Promise<LocalDevice> {
  if (kind.local === undefined) throw new UsageError(`--local is not for devices of the kind ${kind.kind}.`)
  const { device, fault } = await lookAtLocal(kind, given, clock)
  if (device !== null) return device
  throw new CommandError(fault ?? 'unknown', factsOf(kind.kind)?.remedies[fault ?? ''] ?? `${fault}.`)
}

const described = ({ name, appVersion, sims }: LocalDevice) => ({
  name,
  app_version: appVersion,
  sims: (sims ?? []).map(({ slot, number, carrier }) => ({ slot, number, carrier })),
})

function textOf(id: string, { name, appVersion, sims }: LocalDevice, taken: boolean | null): string {
  const found = (sims ?? []).map(({ slot, number }) => `${slot}: ${number ?? 'number unknown'}`)
  return [
    `${id}  ${name.replace('/', ' ')}, app ${appVersion}`,
    found.length === 0
      ? 'No SIM found: insert one, and grant the app the permission Phone.'
      : `SIMs ${found.join(', ')}`,
    ...(taken === false ? [notTaken()] : []),
    clearText,
    `Check it with ${ownCommand()} device test ${id}; add the number of a SIM as a sender with ${ownCommand()} device set ${id} --sim 1 --number +…`,
  ].join('\n')
}

/** Returns the dependencies of a phone that this command stores. */
export async function phoneDeps(tools: CommandContext, kind: ConnectorKind): Promise<PhoneDeps> {
  const secretBox = createDeviceSecretBox(await tools.instanceSecret())
  const { ids, clock, randomBytes, config } = tools
  return createPhoneDeps({ ids, nowMs: clock.now(), secretBox, randomBytes, config }, kind)
}
