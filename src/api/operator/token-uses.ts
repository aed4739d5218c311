import { touchOperatorToken } from '../../accounts/keys/operator-tokens.ts'
import type { Writer } from '../../storage/seam/writer.ts'

export interface TokenUse {
  tokenId: string
  /** Start of the minute, as `findOperatorToken` returns it. */
  minute: number
}

export interface TokenUsesDeps {
  writer: Pick<Writer, 'write'>
  log: { warn(fields: object, message: string): void }
}

/**
 * Records in which minutes tokens were used, after the responses: read requests are answered while the
 * database accepts no writes. Only one write runs at a time; uses in the meantime are part of the next one. A
 * failed write is logged, and attempted again in another minute.
 */
export function createTokenUses({ writer, log }: TokenUsesDeps): (use: TokenUse) => void {
  // At most one entry per token, and tokens are few.
  const waiting = new Map<string, number>()
  const recorded = new Map<string, number>()
  let isWriting = false
  const writeAll = async (): Promise<void> => {
    isWriting = true
    while (waiting.size > 0) {
      const uses = [...waiting].map(([tokenId, minute]) => ({ tokenId, minute }))
      waiting.clear()
      const written = writer.write(async (tx) => {
        for (const use of uses) await touchOperatorToken(tx, use)
      })
      await written.catch((error: unknown) =>
        log.warn({ err: error }, 'failed to store when API tokens of the operator were last used'),
      )
    }
    isWriting = false
  }
  return ({ tokenId, minute }) => {
    if (recorded.get(tokenId) === minute) return
    recorded.set(tokenId, minute)
    waiting.set(tokenId, minute)
    if (!isWriting) void writeAll()
  }
}
