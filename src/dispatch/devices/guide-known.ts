import { withOpenAttempts } from '../../messages/core/open-attempt.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import { type ListedDevice, listDevices } from '../../devices/status/list-devices.ts'
import { type ListedPhone, listPhones } from '../../devices/phones/list-phones.ts'
import { isVisited } from '../../devices/phones/visited-phones.ts'
import { simSetting, simSlots } from '../../devices/core/sim-number.ts'
import { phoneProgress } from '../../devices/phones/phone-progress.ts'
import type { GuideKnown, GuidePhone, GuideTest } from '../../devices/phones/connect-guide.ts'
import { testText } from '../../devices/phones/guide-words.ts'
import { messageErrorRule } from '../../messages/core/message-errors.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { readKeyLimits } from '../../accounts/keys/limit-api-keys.ts'
import { factsOf } from '../../connectors/registry.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'

/** Which phone and which test SMS a guided connect is about; null until there is one. */
export interface GuideSubject {
  /** The private token with which the phone registers; or the device, once it is known. */
  tokenId: string | null
  deviceId: string | null
  messageId: string | null
}

export interface GuideReader {
  read: Db
  nowMs: number
  /** What goes before commands. */
  word: string
}

/** Reads what the server knows about a guided connect of an account. */
export async function readGuideKnown(
  reader: GuideReader,
  owner: { accountId: string; mode: Mode },
  { tokenId, deviceId, messageId }: GuideSubject,
): Promise<GuideKnown> {
  const { read } = reader
  const of = deviceId === null ? (tokenId === null ? null : { tokenId }) : { deviceId }
  const [phone] = of === null ? [] : await listPhones(read, of)
  if (phone === undefined) return nothingKnown
  const [device] = (await listDevices(read, { deviceId: phone.deviceId }, { afterId: null, limit: 1 }))
    .devices
  if (device === undefined) return nothingKnown
  const keyLimits = device.accountId === null ? null : await readKeyLimits(read, owner, reader.nowMs)
  const known = { ...nothingKnown, phone: describe(reader, phone, device), keyLimits }
  return messageId === null ? known : { ...known, ...(await readTest(read, owner, { device, messageId })) }
}

const nothingKnown: GuideKnown = { phone: null, test: null, answer: null, keyLimits: null }

function describe({ nowMs, word }: GuideReader, phone: ListedPhone, device: ListedDevice): GuidePhone {
  const { report, settings } = device
  const fresh = report !== null && nowMs - report.reportedAt <= reportLifetimeMs ? report : null
  const sims = fresh === null || fresh.body.sims.length === 0 ? phone.sims : fresh.body.sims
  const stream = phoneProgress(phone, report, nowMs).find(({ name }) => name === 'event stream')
  const set = simSlots.flatMap((slot) => {
    const number = settings[simSetting(slot)] ?? ''
    return number === '' ? [] : [{ slot, number }]
  })
  const numberOf = new Map(sims.map(({ slot, number }) => [slot, number]))
  const reported = sims.flatMap(({ number }) => (number?.startsWith('+') === true ? number : []))
  return {
    deviceId: device.id,
    name: phone.name,
    appVersion: phone.appVersion,
    isConnected: stream?.isDone === true,
    connection: connectionOf(device, stream?.summary),
    sims: sims.map(({ slot, number, carrier }) => ({ slot, number, carrier })),
    senders: [...new Set(reported)],
    // The server reports the number of a SIM once it sends from it, and never one of a slot without a SIM.
    isNumberAwaited: set.some(({ slot, number }) => numberOf.has(slot) && numberOf.get(slot) !== number),
    withoutSim: set.filter(({ slot }) => !numberOf.has(slot)),
    battery: fresh?.body.battery ?? null,
    troubles: remediesOf(device.kind, fresh?.reasons ?? [], { word }),
  }
}

/** Returns what is missing until a phone is connected. */
function connectionOf({ state, settings }: ListedDevice, stream: string | undefined): string {
  if (state === 'disabled') return 'the device is disabled. Enable it.'
  return isVisited(settings)
    ? 'waiting for the first visit. Is the server running?'
    : (stream ?? 'waiting for the phone')
}

async function readTest(
  read: Db,
  { accountId, mode }: { accountId: string; mode: Mode },
  { device, messageId }: { device: Pick<ListedDevice, 'id' | 'kind'>; messageId: string },
): Promise<Pick<GuideKnown, 'test' | 'answer'>> {
  const ofAccount = read.selectFrom('messages').where('account_id', '=', accountId).where('mode', '=', mode)
  const row = await ofAccount
    .select([
      'account_id',
      'mode',
      'id',
      'recipient',
      'status',
      'error_code',
      'network_code',
      'device_id',
      'attempts',
      'sequence',
      'updated_at',
    ]) // prettier-ignore
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (row === undefined) return { test: null, answer: null }
  await withOpenAttempts(read, [row])
  const isByOther = row.device_id !== null && row.device_id !== device.id
  const test: GuideTest = {
    messageId,
    to: row.recipient,
    status: row.status,
    error: row.error_code === null ? null : messageErrorRule(row.error_code).summary,
    phoneError: isByOther || row.network_code === null ? null : resultOf(device.kind, row.network_code),
    isByOther,
  }
  // IDs are in the order of time. A test SMS to the phone itself arrives there as well, and is no answer.
  const answer = await ofAccount
    .select(['sender', 'text'])
    .where('id', '>', messageId)
    .where('direction', '=', 'inbound')
    .where('device_id', '=', device.id)
    .where('text', '!=', testText)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return { test, answer: answer === undefined ? null : { from: answer.sender, text: answer.text ?? '' } }
}

/** What the device itself said, by the guide to its results; null for what the guide does not list. */
function resultOf(kind: string, networkCode: string): string | null {
  const results = factsOf(kind)?.results ?? {}
  return Object.hasOwn(results, networkCode) ? `${networkCode}: ${results[networkCode]}` : null
}
