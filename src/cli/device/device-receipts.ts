import { rfc3339 } from '../../runtime/clock.ts'
import { readUnmatched, type UnmatchedReceipt } from '../../messages/outcomes/unmatched-receipts.ts'
import { maskNumber } from '../../numbers/phone-number.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'

const maxReceipts = 1_000

export const receipts = command({
  summary: 'Lists unmatched receipts of a device, newest first.',
  details:
    'An unmatched receipt is kept for 72 hours (ONESIXTY_PARKED_RECEIPT_HOURS), in case the response to its submission arrives later. Many unmatched receipts mean that the SMSC writes message IDs in another form (setting message_ids), or that other clients use the same SMPP account.',
  arguments: [deviceArgument],
  options: {
    limit: {
      type: 'number',
      value: 'N',
      summary: `Maximum number of receipts, up to ${maxReceipts}. Default: 100.`,
    },
  },
  async run(tools, { options: { limit = 100 }, arguments: [deviceId = ''] }) {
    if (limit < 1 || limit > maxReceipts) throw new UsageError(`--limit must be from 1 to ${maxReceipts}.`)
    const { found, isMore } = await tools.withStorage(async ({ read }) => {
      await findDevice(read, deviceId)
      return readUnmatched(read, deviceId, limit)
    })
    const lines = found.map(describe)
    if (isMore) lines.push(`More receipts: raise --limit, up to ${maxReceipts}`)
    return {
      json: { device_id: deviceId, receipts: found.map(document), more: isMore },
      text: lines.length === 0 ? 'No unmatched receipts.' : lines.join('\n'),
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
  const id = word.hasNoId === true ? `no ID, reference ${word.reference}` : `ID ${word.networkId}`
  const code = word.networkCode === null ? [] : [`code ${word.networkCode}`]
  return [rfc3339(receivedAtMs), id, word.result, ...code, ...(word.numbers ?? []).map(maskNumber)].join('  ')
}
