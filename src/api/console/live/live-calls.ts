import { Type } from 'typebox'
import { refuse } from '../../../runtime/errors.ts'
import { defineStream } from '../core/call.ts'
import { recheckStream } from './recheck-stream.ts'

export const liveCalls = {
  /** What changes of an account, as server-sent events (HTML standard section 9.2). */
  live: defineStream({
    access: 'member',
    input: Type.Object({}, { additionalProperties: false }),
    admit({ live, account, config }) {
      const most = config.consoleStreams
      if (live.count(account.id) >= most)
        throw refuse('rate_limited', { detail: `Only ${most} tabs may look on at one account; close some.` })
    },
    open(context, _input, response) {
      const { live, account, clock, log, requestId, guardAgain } = context
      live.open({ accountId: account.id, mode: account.mode }, response)
      const failed = (error: unknown): void =>
        log.error({ request: requestId, err: error }, 'a live stream could not be checked again')
      recheckStream({ clock, failed }, response, guardAgain)
    },
  }),
}
