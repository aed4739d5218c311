import { retireDevice } from '../devices/device-store.ts'
import { revokeTokensOfPhone, tokensOfPhone } from '../devices/phone-tokens.ts'
import { countHeld } from '../messages/phone-offers.ts'
import type { Db } from '../storage/dialect.ts'
import { command } from './command.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { deviceArgument } from './device-lookup.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

export const remove = command({
  summary: 'Takes a device out of service for ever.',
  details:
    'What it was not handed goes by other devices. What a phone has fetched can no longer be heard of: disable the phone first where that matters, and remove it when it holds nothing.',
  arguments: [deviceArgument],
  options: {
    'revoke-token': {
      type: 'flag',
      says: 'Of a phone that was lost: revoke the private token in its app too. Other phones that registered with it stay connected.',
    },
  },
  async run(tools, { options, arguments: [deviceId = ''] }) {
    const mayRevoke = options['revoke-token']
    const { kind, changed } = await retire(tools, deviceId, mayRevoke)
    const document = { id: deviceId, state: 'retired', changed }
    const line = `${deviceId} is ${changed ? 'now' : 'already'} retired.`
    if (kind !== 'android') return { json: document, text: line }
    const { held, isTokenGood } = await tools.withStorage(({ read }) => whatIsLeft(read, deviceId))
    const privateToken = isTokenGood ? 'good' : 'revoked'
    return {
      json: { ...document, messages_held: held, private_token: privateToken },
      text: [line, ...heldLines(held), ...(isTokenGood ? [tokenLine(deviceId)] : [])].join('\n'),
    }
  },
})

const retire = (
  tools: Toolbox,
  deviceId: string,
  mayRevoke: boolean,
): Promise<{ kind: string; changed: boolean }> =>
  tools.withStorage(async ({ read, writer }) => {
    const row = await read.selectFrom('devices').select('kind').where('id', '=', deviceId).executeTakeFirst()
    if (row === undefined)
      throw new CommandError('not_found', `There is no device ${deviceId}; onesixty device list shows them.`)
    if (mayRevoke && row.kind !== 'android')
      throw new UsageError('Only a phone has a private token to revoke.')
    const change = { deviceId, actor: cliActor }
    return writer.write(async (tx) => {
      const deps = { ...tools, nowMs: tools.clock.now() }
      if (mayRevoke) await revokeTokensOfPhone(tx, deps, change)
      return { kind: row.kind, changed: await retireDevice(tx, deps, change) }
    })
  })

async function whatIsLeft(read: Db, deviceId: string): Promise<{ held: number; isTokenGood: boolean }> {
  const [held, tokens] = await Promise.all([countHeld(read, deviceId), tokensOfPhone(read, deviceId)])
  return { held, isTokenGood: tokens.length > 0 }
}

/** It may send them all the same, and no report of it is taken any more. */
const heldLines = (held: number): string[] =>
  held === 0
    ? []
    : [
        `${held === 1 ? '1 message is' : `${held} messages are`} with the phone. It may still send what it holds, and is heard no more: such a message goes by no other phone, and ends as unconfirmed three hours after its validity.`,
      ]

const tokenLine = (deviceId: string): string =>
  `The private token in its app is still good: when the app is started anew, it registers as a new device. If the phone is not in your hands, revoke the token: onesixty device remove ${deviceId} --revoke-token. Other phones that registered with it stay connected.`
