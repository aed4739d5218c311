import { rfc3339 } from '../../runtime/clock.ts'
import { listUnread, type UnreadForm } from '../../devices/status/unread-forms.ts'
import { command } from '../core/command.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'

export const unread = command({
  summary: 'Lists input from a device that could not be parsed, newest first.',
  details:
    'Receipts with an unknown format or status, PDUs, and events or reports of phones: each form once, with its count. Runs of letters are printed as a and of digits as 0, so that no text or number is shown. For receipts, define their meaning with receipt_words and receipt_pattern. Forms are kept as long as other device history (ONESIXTY_DEVICE_HISTORY_DAYS). Input of the last 10 s may be missing.',
  arguments: [deviceArgument],
  options: {},
  async run(tools, { arguments: [deviceId = ''] }) {
    const forms = await tools.withStorage(async ({ read }) => {
      await findDevice(read, deviceId)
      return listUnread(read, deviceId)
    })
    return {
      json: { device_id: deviceId, unread: forms.map(document) },
      text: forms.length === 0 ? 'No unparsed input.' : forms.map(describe).join('\n'),
    }
  },
})

const document = ({ kind, form, times, firstAt, lastAt }: UnreadForm): object => ({
  kind,
  form,
  times,
  first_at: rfc3339(firstAt),
  last_at: rfc3339(lastAt),
})

const describe = ({ kind, form, times, lastAt }: UnreadForm): string =>
  [rfc3339(lastAt), `${times}×`, kind, form].join('  ')
