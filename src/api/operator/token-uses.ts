import { touchOperatorToken } from '../../accounts/keys/operator-tokens.ts'
import type { Writer } from '../../storage/seam/writer.ts'

export interface TokenUse {
  tokenId: string
  /** Its begin, as `findOperatorToken` gives it. */
  minute: number
}

export interface TokenUsesDeps {
  writer: Pick<Writer, 'write'>
  log: { warn(fields: object, message: string): void }
}

/**
 * Notes in which minutes tokens were used, behind the answers: who only reads is answered while the database takes no writes. At most one write
 * is under way; what is noted meanwhile goes with the next. One that fails is said in the log, and tried again in another minute.
 */
export function createTokenUses({ writer, log }: TokenUsesDeps): (use: TokenUse) => void {
  // An entry a token at most, and those are few.
  const waiting = new Map<string, number>()
  const noted = new Map<string, number>()
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
        log.warn({ err: error }, 'when tokens of the operator were last used could not be written down'),
      )
    }
    isWriting = false
  }
  return ({ tokenId, minute }) => {
    if (noted.get(tokenId) === minute) return
    noted.set(tokenId, minute)
    waiting.set(tokenId, minute)
    if (!isWriting) void writeAll()
  }
}
