import { Type } from 'typebox'
import { refuse } from '../../../runtime/errors.ts'
import { defineStream } from '../core/call.ts'
import { recheckStream } from './recheck-stream.ts'

export const liveCalls = {
  /** Streams the changes of an account as server-sent events (HTML standard section 9.2). */
  live: defineStream({
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    admit({ live, account, config }) {
      const max = config.consoleStreams
      if (live.count(account.id) >= max)
        throw refuse('rate_limited', {
          detail: `Too many open tabs for this account. The limit is ${max}. Close some.`,
        })
    },
    open(context, _input, response) {
      const { live, account, clock, log, requestId, guardAgain } = context
      live.open({ accountId: account.id, mode: account.mode }, response)
      const failed = (error: unknown): void =>
        log.error({ request: requestId, err: error }, 'failed to check the permission of a live stream')
      recheckStream({ clock, failed }, response, guardAgain)
    },
  }),
}
