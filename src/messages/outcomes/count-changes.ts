import type { CountChange } from '../../devices/plans/count-in-plans.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import type { StoredAttempt } from '../core/evidence-store.ts'
import type { MessageState } from '../core/message-store.ts'
import type { Raised } from './raise-attempt.ts'

/**
 * Returns how the counts of SIM plans change with what is known of these attempts now. An attempt counts with all its parts
 * until the network has certainly not taken some: an unknown outcome counts, because the SIM may have sent it.
 */
export const countChanges = (
  raised: readonly Raised[],
  messages: ReadonlyMap<string, Pick<MessageState, 'parts'>>,
): CountChange[] =>
  raised.flatMap(({ before, after }) => {
    if (after.plan_counts === null) return []
    const { parts } = messages.get(after.message_id) as Pick<MessageState, 'parts'>
    const [was, is] = [partsThatCount(before, parts), partsThatCount(after, parts)]
    const messagesBy = (Number(is > 0) - Number(was > 0)) as CountChange['messages']
    return was === is
      ? []
      : [
          {
            deviceId: after.device_id,
            counts: readJson(after.plan_counts),
            parts: is - was,
            messages: messagesBy,
          },
        ]
  })

const partsThatCount = ({ state, parts_sent }: StoredAttempt, parts: number): number =>
  state === 'refused' ? parts_sent : parts
