import { renderUnicodeCompact } from 'uqr'
import { type ListedDevice, listDevices } from '../../devices/status/list-devices.ts'
import { type ListedPhone, listPhones } from '../../devices/phones/list-phones.ts'
import { mintPhoneToken, type PhoneTokenOwner, revokePhoneTokens } from '../../devices/phones/phone-tokens.ts'
import type { CommandStorage } from '../../storage/open/command-storage.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Output } from '../core/command.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
import { failureOf, type Reach } from '../../reach/reach.ts'
import { isConnected, phoneProgress } from '../../devices/phones/phone-progress.ts'
import { ProgressLines } from '../core/progress-lines.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { guidePath } from '../../process/guides.ts'
import { ownAddress } from '../../process/own-address.ts'
import { ownCommand } from '../../process/own-command.ts'
import { onlyAPhone, reachDocument, reachPhoneAddress } from '../core/phone-address-check.ts'
import { openWaiting } from '../core/open-waiting.ts'

/** Short enough to look live; each poll is two short reads. */
const pollEveryMs = 500

/** Tries the API URL, creates a private token, prints both, and waits for a phone to register; not with `json`. */
export async function connectPhone(
  tools: CommandContext,
  owner: PhoneTokenOwner,
  json: boolean,
): Promise<Output> {
  const address = phoneAddress(tools.config)
  const reach = await reachPhoneAddress(tools)
  return tools.withStorage(async ({ read, writer }) => {
    const { tokenId, token } = await writer.write((tx) =>
      mintPhoneToken(tx, { ...tools, nowMs: tools.clock.now() }, { ...owner, actor: cliActor }),
    )
    const shown = { url: address, private_token: token, reach: reachDocument(reach) }
    if (json) return { json: shown, text: '' }
    tools.io.stdout.write(instructions(tools, address, token, reach))
    const device = await waitForPhone(tools, read, tokenId)
    const text =
      device === null
        ? 'Stopped waiting. The private token stays valid: a phone can still register with it.'
        : `Connected. Check it with ${ownCommand()} device test ${device.id}; add the number of a SIM as a sender with ${ownCommand()} device set ${device.id} --sim 1 --number +…`
    return { json: shown, text }
  })
}

/** Revokes the private tokens of an owner. Registered phones stay connected. */
export async function revokeTokens(
  { writer }: Pick<CommandStorage, 'writer'>,
  tools: CommandContext,
  accountId: string | null,
): Promise<Output> {
  const revoked = await writer.write((tx) =>
    revokePhoneTokens(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, actor: cliActor }),
  )
  const text =
    revoked === 0
      ? 'There were no private tokens.'
      : `Revoked ${revoked} private token${revoked === 1 ? '' : 's'}. Registered phones stay connected, but need a new token to register again.`
  return { json: { revoked }, text }
}

function instructions(
  { config }: Pick<CommandContext, 'config'>,
  address: string,
  token: string,
  reach: Reach,
): string {
  const failure = failureOf(reach)
  const verdict =
    failure === null
      ? [onlyAPhone]
      : [
          `! Phones cannot use this address yet. ${failure.part}: ${failure.summary}`,
          `! ${failure.remedy}`,
          `! See ${ownAddress(config)}${guidePath('phones', 'https')}`,
        ]
  return `${[
    'In the SMSGate app (1.53.1 or later, 1.67 recommended) open Settings, Cloud Server, and enter:',
    `  API URL               ${address}`,
    `  Private Token         ${token}`,
    '  Notification channel  SSE Only',
    '',
    'The app cannot scan codes: scan them with the camera of the phone, and paste. The API URL:',
    renderUnicodeCompact(address, { border: 2 }),
    'The private token (shown only once):',
    renderUnicodeCompact(token, { border: 2 }),
    'Then switch Cloud Server on, tap Offline and choose Sign Up.',
    ...verdict,
    '',
  ].join('\n')}\n`
}

/** Resolves with the device when the phone's event stream is open, or with null after Ctrl-C. */
async function waitForPhone(tools: CommandContext, read: Db, tokenId: string): Promise<ListedDevice | null> {
  const lines = new ProgressLines(tools.io.stdout)
  const waiting = openWaiting(tools)
  try {
    for (;;) {
      const { phone, device } = await poll(read, tokenId)
      const steps = phoneProgress(phone, device?.report ?? null, tools.clock.now())
      lines.show(steps)
      if (device !== null && isConnected(steps)) return device
      if (!(await waiting.pause(pollEveryMs))) return null
    }
  } finally {
    waiting.end()
  }
}

async function poll(
  read: Db,
  tokenId: string,
): Promise<{ phone: ListedPhone | null; device: ListedDevice | null }> {
  const [phone] = await listPhones(read, { tokenId })
  if (phone === undefined) return { phone: null, device: null }
  const { devices } = await listDevices(read, { deviceId: phone.deviceId }, { afterId: null, limit: 1 })
  return { phone, device: devices[0] ?? null }
}
