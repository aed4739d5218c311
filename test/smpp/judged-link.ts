import type { Pdu } from '../../src/smpp/codec/pdu.ts'
import type { ContractWorld } from '../contracts/contract-subject.ts'
import { openStubLink } from './stub-link.ts'

/** The answer to a submit: yes, or a status without a body. */
export const answerTo = (sequence: number, status: number): Pdu[] => [
  {
    command: 'submit_sm_resp',
    status,
    sequence,
    body: status === 0 ? { messageId: `m${sequence}`, tlvs: [] } : null,
  },
]

/** A link to an SMSC that judges each submit, of which it has had so many, at a time of the test's clock. */
export async function openJudged(
  judge: (nowMs: number, count: number) => number,
  settings: Record<string, string> = {},
) {
  const seen = { world: null as ContractWorld | null, submits: 0, startMs: 0 }
  const opened = await openStubLink({
    settings,
    answering: ({ command, sequence }) => {
      if (command !== 'submit_sm') return null
      seen.submits += 1
      const nowMs = seen.world?.clock.monotonicMs() ?? 0
      return answerTo(sequence, judge(nowMs - seen.startMs, seen.submits))
    },
  })
  seen.world = opened.world
  seen.startMs = opened.world.clock.monotonicMs()
  return { ...opened, seen }
}
