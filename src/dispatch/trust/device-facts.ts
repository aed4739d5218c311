import type { Mode } from '../../storage/tables/schema.ts'
import type { RateLimit } from '../rates/rate-limit.ts'

/** What of a device's row decides how it is run. */
export interface DeviceFacts {
  id: string
  accountId: string | null
  mode: Mode
  kind: string
  name: string
  senders: ReadonlySet<string>
  /** Whose national numbers it may receive; null where nobody has said so. */
  country: string | null
  pace: RateLimit | null
  /** The group that it is in. */
  groupId?: string
  /** It takes nothing new, and ends what it holds. */
  isDraining: boolean
}
