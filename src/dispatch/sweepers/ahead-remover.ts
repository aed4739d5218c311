import { hourMs } from '../../runtime/clock.ts'
import type { Wallet } from '../../privacy/erase-page.ts'
import { readAhead, removeEach } from '../../privacy/remove-ahead-messages.ts'
import type { Old } from '../../privacy/remove-old-messages.ts'
import type { Db, Tx } from '../../storage/seam/dialect.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { SweeperDeps } from './sweeper.ts'

/** Messages read at once, of which those that are old are removed in one transaction. */
const pageSize = 500

/** A pass reads all messages up to the longest lag of a clock: more often would cost more than an hour of keeping them. */
const passMs = hourMs

/** How far the present pass has come in one wallet. */
interface Pass {
  atId: string
  beganMs: number
  isOver: boolean
}

/**
 * Creates the removal of old messages whose ID, or last change, was ahead of the clock: the removal by ID and last change
 * would keep them for as long as the clock was ahead. Does nothing while no clock was. Each call removes what is old among
 * a page of messages, and returns whether there are more.
 */
export function aheadRemover(
  { read, writer, clock }: Pick<SweeperDeps, 'clock'> & { read: Db; writer: Writer },
  old: () => Old,
): (wallet: Wallet, lagMs: number) => Promise<boolean> {
  const passes = new Map<string, Pass>()
  return async (wallet, lagMs) => {
    if (lagMs === 0) return false
    const name = `${wallet.accountId}/${wallet.mode}`
    const nowMs = clock.now()
    const known = passes.get(name) ?? { atId: '', beganMs: nowMs, isOver: false }
    if (known.isOver && Math.abs(nowMs - known.beganMs) < passMs) return false
    const pass = known.isOver ? { atId: '', beganMs: nowMs, isOver: false } : known
    const next = (db: Db | Tx) =>
      readAhead(db, { ...wallet, afterId: pass.atId }, { ...old(), lagMs }, pageSize)
    const page = await next(read)
    // Read again where they are removed: another node that believes it leads may have removed them meanwhile.
    if (page.old.length > 0) await writer.write(async (tx) => removeEach(tx, (await next(tx)).old))
    const isOver = page.read < pageSize
    passes.set(name, { ...pass, atId: page.lastId ?? pass.atId, isOver })
    return !isOver
  }
}
