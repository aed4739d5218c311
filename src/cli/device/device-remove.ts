import { factsOf } from '../../connectors/registry.ts'
import { retireDevice } from '../../devices/core/device-store.ts'
import { revokeTokensOfPhone, tokensOfPhone } from '../../devices/phones/phone-tokens.ts'
import { countHeld } from '../../messages/phones/phone-offers.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { command } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { deviceArgument } from './device-lookup.ts'
import { readStrandedBy } from './stranded-lines.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

export const remove = command({
  summary: 'Removes a device permanently.',
  details:
    'Messages that were not submitted to it are sent by other devices. Where own devices are free, messages that only own devices carry and none that is left can, by its senders or parts, wait for the next one, and expire at the end of their validity period (no_own_device): the command counts them. Messages that a phone has already fetched cannot be tracked any more: to avoid that, disable the phone first and remove it when nothing is in flight.',
  arguments: [deviceArgument],
  options: {
    'revoke-token': {
      type: 'flag',
      summary:
        'For a lost phone: also revoke the private token in its app. Other phones that registered with it stay connected.',
    },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    const mayRevoke = options['revoke-token']
    const { kind, accountId, changed } = await retire(tools, deviceId, mayRevoke)
    const stranded = await tools.withStorage(({ read }) =>
      readStrandedBy(read, { id: deviceId, accountId, state: 'retired' }),
    )
    const document = { id: deviceId, state: 'retired', changed, messages_stranded: stranded.messages }
    const lines = [`${deviceId} is ${changed ? 'now' : 'already'} retired.`, ...stranded.lines]
    if (factsOf(kind)?.isPhone !== true) return { json: document, text: lines.join('\n') }
    const { held, isTokenGood } = await tools.withStorage(({ read }) => whatIsLeft(read, deviceId))
    const privateToken = isTokenGood ? 'good' : 'revoked'
    return {
      json: { ...document, messages_held: held, private_token: privateToken },
      text: [...lines, ...heldLines(held), ...(isTokenGood ? [tokenLine(deviceId)] : [])].join('\n'),
    }
  },
})

const retire = (
  tools: CommandContext,
  deviceId: string,
  mayRevoke: boolean,
): Promise<{ kind: string; accountId: string | null; changed: boolean }> =>
  tools.withStorage(async ({ read, writer }) => {
    const row = await read
      .selectFrom('devices')
      .select(['kind', 'account_id as accountId'])
      .where('id', '=', deviceId)
      .executeTakeFirst()
    if (row === undefined)
      throw new CommandError(
        'not_found',
        `Device ${deviceId} not found. List devices with ${ownCommand()} device list.`,
      )
    if (mayRevoke && factsOf(row.kind)?.isPhone !== true)
      throw new UsageError('--revoke-token is only for phones.')
    const change = { deviceId, actor: cliActor }
    return writer.write(async (tx) => {
      const deps = { ...tools, nowMs: tools.clock.now() }
      if (mayRevoke) await revokeTokensOfPhone(tx, deps, change)
      return { ...row, changed: await retireDevice(tx, deps, change) }
    })
  })

async function whatIsLeft(read: Db, deviceId: string): Promise<{ held: number; isTokenGood: boolean }> {
  const [held, tokens] = await Promise.all([countHeld(read, deviceId), tokensOfPhone(read, deviceId)])
  return { held, isTokenGood: tokens.length > 0 }
}

/** The phone may still send them, but its reports are no longer accepted. */
const heldLines = (held: number): string[] =>
  held === 0
    ? []
    : [
        `${held === 1 ? '1 message is' : `${held} messages are`} in flight on the phone. It may still send them, but cannot report it. They are not sent by another device, and become unconfirmed three hours after their validity.`,
      ]

const tokenLine = (deviceId: string): string =>
  `The private token in its app is still valid: after a restart the app registers as a new device. If you do not have the phone, revoke the token: ${ownCommand()} device remove ${deviceId} --revoke-token. Other phones that registered with it stay connected.`
