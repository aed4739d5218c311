import { realKinds } from '../../connectors/registry.ts'
import { isOwnCarrier } from '../../devices/core/carrying.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Candidate } from '../routes/candidate.ts'
import type { RateLimit } from '../rates/rate-limit.ts'

/** The parts of a device's row that decide how it is run. */
export interface DeviceFacts {
  id: string
  accountId: string | null
  mode: Mode
  kind: string
  name: string
  senders: ReadonlySet<string>
  /** The country whose national numbers it may receive; null if not set. */
  country: string | null
  pace: RateLimit | null
  /** The group that it belongs to. */
  groupId?: string
  /** It accepts nothing new, and finishes what is in flight. */
  isDraining: boolean
}

/** Returns what a device brings to each choice by its configuration. */
export const configuredCandidate = ({
  id,
  accountId,
  mode,
  kind,
  groupId,
}: DeviceFacts): Pick<Candidate, 'id' | 'accountId' | 'mode' | 'groupId' | 'isOwnCarrier'> => ({
  id,
  accountId,
  mode,
  ...(groupId === undefined ? {} : { groupId }),
  ...(isOwnCarrier({ accountId, kind }, realKinds) && { isOwnCarrier: true }),
})
