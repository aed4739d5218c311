import { renderUnicodeCompact } from 'uqr'
import { type ListedDevice, listDevices } from '../devices/list-devices.ts'
import { type ListedPhone, listPhones } from '../devices/list-phones.ts'
import { mintPhoneToken, type PhoneTokenOwner, revokePhoneTokens } from '../devices/phone-tokens.ts'
import type { CommandStorage } from '../storage/command-storage.ts'
import type { Db } from '../storage/dialect.ts'
import type { Output } from './command.ts'
import { addressTroubles, phoneAddress } from '../devices/phone-address.ts'
import { isConnected, phoneProgress } from '../devices/phone-progress.ts'
import { StepLines } from './step-lines.ts'
import { cliActor, type Toolbox } from './toolbox.ts'

/** Often enough to look live; each look is two short reads. */
const lookEveryMs = 500

/** Makes a private token, shows it with the address, and waits for a phone that registers with it; with `json` it does not wait. */
export async function connectPhone(tools: Toolbox, owner: PhoneTokenOwner, json: boolean): Promise<Output> {
  const address = phoneAddress(tools.config)
  return tools.withStorage(async ({ read, writer }) => {
    const { tokenId, token } = await writer.write((tx) =>
      mintPhoneToken(tx, { ...tools, nowMs: tools.clock.now() }, { ...owner, actor: cliActor }),
    )
    const shown = { url: address, private_token: token }
    if (json) return { json: shown, text: '' }
    tools.io.stdout.write(instructions(address, token))
    const device = await waitForPhone(tools, read, tokenId)
    const text =
      device === null
        ? 'Stopped waiting. The private token stays good: a phone that registers with it later is taken all the same.'
        : `Connected. onesixty device test ${device.id} tells how it is; a SIM's number becomes a sender by onesixty device set ${device.id} --sim 1 --number +…`
    return { json: shown, text }
  })
}

/** Revokes the private tokens of an owner. Phones that have registered stay connected. */
export async function revokeTokens(
  { writer }: Pick<CommandStorage, 'writer'>,
  tools: Toolbox,
  accountId: string | null,
): Promise<Output> {
  const revoked = await writer.write((tx) =>
    revokePhoneTokens(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, actor: cliActor }),
  )
  const text =
    revoked === 0
      ? 'There were no private tokens.'
      : `${revoked} private token${revoked === 1 ? ' is' : 's are'} revoked. Phones that have registered stay connected, but need a new one to register again.`
  return { json: { revoked }, text }
}

function instructions(address: string, token: string): string {
  const troubles = addressTroubles(address)
  const warnings = troubles.length === 0 ? [] : [...troubles, 'How: docs/connectors/android.md']
  return `${[
    'In the SMSGate app (version 1.53.1 or later, better 1.67) open Settings, Cloud Server, and enter',
    `  API URL               ${address}`,
    `  Private Token         ${token}`,
    '  Notification channel  SSE Only',
    '',
    'The app reads no codes; the camera of the phone does, and you paste what it reads. The address:',
    renderUnicodeCompact(address, { border: 2 }),
    'The private token, shown this once:',
    renderUnicodeCompact(token, { border: 2 }),
    'Then switch Cloud Server on, tap Offline and choose Sign Up.',
    ...warnings.map((warning) => `! ${warning}`),
    '',
  ].join('\n')}\n`
}

/** Settles with the device when the phone's event stream is open, or with null when the person does not want to wait any more. */
async function waitForPhone(tools: Toolbox, read: Db, tokenId: string): Promise<ListedDevice | null> {
  const lines = new StepLines(tools.io.stdout)
  const waiting = openWaiting(tools)
  try {
    for (;;) {
      const { phone, device } = await look(read, tokenId)
      const steps = phoneProgress(phone, device?.report ?? null, tools.clock.now())
      lines.show(steps)
      if (device !== null && isConnected(steps)) return device
      if (!(await waiting.pause(lookEveryMs))) return null
    }
  } finally {
    waiting.end()
  }
}

async function look(
  read: Db,
  tokenId: string,
): Promise<{ phone: ListedPhone | null; device: ListedDevice | null }> {
  const [phone] = await listPhones(read, { tokenId })
  if (phone === undefined) return { phone: null, device: null }
  const { devices } = await listDevices(read, { deviceId: phone.deviceId }, { afterId: null, limit: 1 })
  return { phone, device: devices[0] ?? null }
}

/** Waits that end at once, and stay ended, when the person says so. */
function openWaiting({ io, clock }: Toolbox) {
  let isOver = false
  let go = (): void => undefined
  const stop = (): void => {
    isOver = true
    go()
  }
  io.on?.('SIGINT', stop)
  io.on?.('SIGTERM', stop)
  // The timers of the clock let the process end.
  const alive = setInterval(() => undefined, 3_600_000)
  return {
    /** False when it is over. */
    async pause(delayMs: number): Promise<boolean> {
      if (!isOver)
        await new Promise<void>((resolve) => {
          const cancel = clock.schedule(delayMs, resolve)
          go = () => (cancel(), resolve())
        })
      return !isOver
    },
    end() {
      clearInterval(alive)
      io.off?.('SIGINT', stop)
      io.off?.('SIGTERM', stop)
    },
  }
}
