import type { SendPorts } from '../sending/send-ports.ts'
import { explainOnPool } from '../dispatch/devices/explain-on-pool.ts'
import { routeFrom } from '../dispatch/routes/route-ring.ts'
import { routingFor } from '../dispatch/devices/routing.ts'
import { takeChange } from '../messages/core/change-number.ts'
import { createAcceptor } from '../messages/send/accept-send.ts'
import { findReplay } from '../messages/send/find-replays.ts'
import { pauseForPumping } from '../messages/account-state/pause-for-pumping.ts'
import { priceSend } from '../messages/send/send-messages.ts'
import { readTimesTo } from '../messages/send/times-to-numbers.ts'
import { readWaitingParts } from '../messages/queue/queue-totals.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import type { Route } from '../dispatch/routes/candidate.ts'
import type { Wiring } from './wiring.ts'

/** Returns what a send needs from other rooms. `wake` reports a route with newly queued messages. */
export function createSendPorts(wiring: Wiring, pool: DevicePool, wake: (route: Route) => void): SendPorts {
  const { storage, config, metrics, clock } = wiring
  const accept = createAcceptor({
    run: (requests) => storage.runUnit('sendMessages', requests),
    maxPendingSends: config.maxPendingSends,
    wake: (route) => wake(routeFrom(route)),
    accepted: metrics.accepted,
  })
  return {
    store: (request) => wiring.changes.after(accept(request), () => [request.accountId]),
    priceOnly: (request) => priceSend(storage.readOf(request.accountId), request),
    findReplay: (name) => findReplay(storage.readOf(name.accountId), name),
    optedOut: (accountId, mode, numbers) => wiring.optOuts.find({ accountId, mode }, numbers, clock.now()),
    timesTo: (around, ranges) => readTimesTo(storage.readOf(around.accountId), around, ranges),
    pauseForPumping: async (accountId, sign) => {
      const isPaused = await wiring.writer.write(async (tx) =>
        pauseForPumping(
          tx,
          { ids: wiring.ids, unit: await takeChange(tx, clock.now()) },
          { accountId, sign },
        ),
      )
      if (isPaused)
        wiring.log.warn(
          { account_id: accountId },
          'an account was suspended: its messages look like SMS pumping',
        )
    },
    waitingParts: (accountId, mode) => readWaitingParts(storage.readOf(accountId), { accountId, mode }),
    routing: { forAccount: (...asked) => routingFor(pool, ...asked) },
    routes: pool.routes,
    explain: (route, message) => explainOnPool(pool, route, message),
  }
}
