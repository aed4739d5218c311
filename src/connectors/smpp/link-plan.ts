import type { Capabilities, Submission } from '../connector.ts'
import type { Role } from './session/bindings.ts'
import type { Classify } from './submit/part-response.ts'
import type { MalformedPdu } from '../../smpp/codec/decode-pdu.ts'
import type { MessageFields, Pdu } from '../../smpp/codec/pdu.ts'
import type { ReconnectPolicy } from './session/reconnect-policy.ts'
import type { SessionSettings } from './session/session-settings.ts'
import type { MessageSettings } from './submit/submit-parts.ts'

/** What a link needs from its settings; the rest is for creating messages. */
export interface LinkPlan {
  bind: Role | 'pair'
  sessions: number
  maxPerSecond: number | null
  receipts: MessageSettings['receipts']
  session: Omit<SessionSettings, 'bindAs'>
  reconnect: ReconnectPolicy
  classify: Classify
  capabilities: Capabilities
  /** Formats a PDU for the log; null where none is traced. */
  trace: ((pdu: Pdu | MalformedPdu) => Record<string, unknown>) | null
  canonicalId(messageId: string): string
  /** The parts of a message as they are sent. */
  partsOf(submission: Submission): MessageFields[]
  /** Formats this many seconds of validity for a part. */
  validityPeriod: (seconds: number) => string
}

/** Returns the plan for changed settings; null when they need new sessions. */
export type Replan = (settings: Readonly<Record<string, string>>) => LinkPlan | null
