import type { ReadOf } from '../../../storage/seam/dialect.ts'
import { devicesSource } from './live-devices.ts'
import type { LiveSource } from '../core/live-feed.ts'
import { messagesSource } from './live-messages.ts'

/** Sources of live streams, in the order of their events. */
export const liveSources = (deps: { readOf: ReadOf }): readonly LiveSource[] => [
  messagesSource(deps),
  balanceSource(deps.readOf),
  devicesSource(deps.readOf),
]

/** Reports the wallet when it has changed. */
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
