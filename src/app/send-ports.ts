import type { SendPorts } from '../sending/send-ports.ts'
import { routeFrom } from '../dispatch/routes/route-ring.ts'
import { routingFor } from '../dispatch/devices/routing.ts'
import { createAcceptor } from '../messages/send/accept-send.ts'
import { findReplay } from '../messages/send/find-replays.ts'
import { pauseForPumping } from '../messages/account-state/pause-for-pumping.ts'
import { priceSend } from '../messages/send/send-messages.ts'
import { readTimesTo } from '../messages/send/times-to-numbers.ts'
import { readWaitingParts } from '../messages/queue/queue-totals.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Route } from '../dispatch/routes/choose-device.ts'
import type { Wiring } from './wiring.ts'

/** Returns what a send needs from other rooms. `wake` reports a route with newly queued messages. */
export function createSendPorts(wiring: Wiring, pool: DevicePool, wake: (route: Route) => void): SendPorts {
  const { storage, config, metrics, horizon, clock } = wiring
  const accept = createAcceptor({
    run: (requests) => storage.runUnit('sendMessages', requests),
    maxPendingSends: config.maxPendingSends,
    wake: (route) => wake(routeFrom(route)),
    accepted: metrics.accepted,
  })
  return {
    async store(request) {
      const result = await wiring.changes.after(
        horizon.announce(request.createdAt, () => accept(request)),
        () => [request.accountId],
      )
      if (result.kind === 'below_floor') horizon.heardOf(result.floorMs)
      return result
    },
    priceOnly: (request) => priceSend(storage.readOf(request.accountId), request),
    findReplay: (name) => findReplay(storage.readOf(name.accountId), name),
    optedOut: (accountId, mode, numbers) => wiring.optOuts.find({ accountId, mode }, numbers, clock.now()),
    timesTo: (around, ranges) => readTimesTo(storage.readOf(around.accountId), around, ranges),
    pauseForPumping: async (accountId, sign) => {
      const deps = { ids: wiring.ids, nowMs: clock.now() }
      if (await wiring.writer.write((tx) => pauseForPumping(tx, deps, { accountId, sign })))
        wiring.log.warn(
          { account_id: accountId },
          'an account was suspended: its messages look like SMS pumping',
        )
    },
    waitingParts: (accountId, mode) => readWaitingParts(storage.readOf(accountId), { accountId, mode }),
    routing: { forAccount: (...asked) => routingFor(pool, ...asked) },
  }
}
