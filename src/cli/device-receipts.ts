import { rfc3339 } from '../clock.ts'
import { readParked, type UnmatchedReceipt } from '../messages/parked-receipts.ts'
import { maskNumber } from '../phone-number.ts'
import { command } from './command.ts'
import { UsageError } from './command-errors.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'

const mostReceipts = 1_000

export const receipts = command({
  summary: 'Lists receipts of a device that match no message, newest first.',
  details:
    'A receipt is kept for 72 hours (ONESIXTY_PARKED_RECEIPT_HOURS), in case the answer to its submission comes later. Many of them point to another form of the ids (message_ids), or to other programs on the same account of the carrier.',
  arguments: [deviceArgument],
  options: {
    limit: { type: 'number', value: 'N', says: `At most so many, up to ${mostReceipts}. Default: 100.` },
  },
  async run(tools, { options: { limit = 100 }, arguments: [deviceId = ''] }) {
    if (limit < 1 || limit > mostReceipts)
      throw new UsageError(`--limit needs a number from 1 to ${mostReceipts}.`)
    const { found, isMore } = await tools.withStorage(async ({ read }) => {
      await findDevice(read, deviceId)
      return readParked(read, deviceId, limit)
    })
    const lines = found.map(describe)
    if (isMore) lines.push(`There are more: --limit up to ${mostReceipts}`)
    return {
      json: { device_id: deviceId, receipts: found.map(document), more: isMore },
      text: lines.length === 0 ? 'There are no receipts without a message.' : lines.join('\n'),
    }
  },
})

const document = ({ receivedAtMs, word }: UnmatchedReceipt): object => ({
  received_at: rfc3339(receivedAtMs),
  network_id: word.hasNoId === true ? null : word.networkId,
  other_readings: word.alternatives ?? [],
  reference: word.reference ?? null,
  result: word.result,
  network_code: word.networkCode,
  numbers: (word.numbers ?? []).map(maskNumber),
})

function describe({ receivedAtMs, word }: UnmatchedReceipt): string {
  const id = word.hasNoId === true ? `no id, reference ${word.reference}` : `id ${word.networkId}`
  const code = word.networkCode === null ? [] : [`code ${word.networkCode}`]
  return [rfc3339(receivedAtMs), id, word.result, ...code, ...(word.numbers ?? []).map(maskNumber)].join('  ')
}
