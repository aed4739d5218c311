import { rfc3339 } from '../clock.ts'
import { listUnread, type UnreadForm } from '../devices/unread-forms.ts'
import { command } from './command.ts'
import { deviceArgument, findDevice } from './device-lookup.ts'

export const unread = command({
  summary: 'Lists what a device sent that could not be read, the latest first.',
  details:
    'A receipt whose words or form nobody knows, a PDU, an event or a report of a phone: each form once, with how often it came. Letters in a row are written as a and digits as 0, so that no text or number of anybody is shown. For receipts receipt_words and receipt_pattern say what they mean. Forms are kept as long as other history of devices (ONESIXTY_DEVICE_HISTORY_DAYS); those of the last ten seconds may not be listed yet.',
  arguments: [deviceArgument],
  options: {},
  async run(tools, { arguments: [deviceId = ''] }) {
    const forms = await tools.withStorage(async ({ read }) => {
      await findDevice(read, deviceId)
      return listUnread(read, deviceId)
    })
    return {
      json: { device_id: deviceId, unread: forms.map(document) },
      text: forms.length === 0 ? 'Everything was read.' : forms.map(describe).join('\n'),
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
