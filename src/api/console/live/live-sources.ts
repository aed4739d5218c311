import type { ReadOf } from '../../../storage/seam/dialect.ts'
import { devicesSource } from './live-devices.ts'
import type { LiveSource } from '../core/live-feed.ts'
import { type MessagesSourceDeps, messagesSource } from './live-messages.ts'

/** What live streams tell of, in the order in which they tell it. */
export const liveSources = (deps: MessagesSourceDeps): readonly LiveSource[] => [
  messagesSource(deps),
  balanceSource(deps.readOf),
  devicesSource(deps.readOf),
]

/** The wallet as it stands, whenever it has changed. */
const balanceSource = (readOf: ReadOf): LiveSource => ({
  topic: 'balance',
  async read({ accountId, mode }, since) {
    const wallet = await readOf(accountId)
      .selectFrom('wallets')
      .select(['granted', 'reserved', 'used'])
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .executeTakeFirst()
    if (wallet === undefined) return null
    const { granted, reserved, used } = wallet
    const next = `${granted}/${reserved}/${used}`
    return next === since
      ? null
      : { event: { available: granted - reserved - used, granted, reserved, used }, next }
  },
})
