import type { Capabilities, Submission } from '../connector.ts'
import type { Role } from './session/bindings.ts'
import type { Classify } from './submit/part-response.ts'
import type { MalformedPdu } from '../../smpp/codec/decode-pdu.ts'
import type { MessageFields, Pdu } from '../../smpp/codec/pdu.ts'
import type { ReconnectPolicy } from './session/reconnect-policy.ts'
import type { SessionSettings } from './session/session-settings.ts'
import type { MessageSettings } from './submit/submit-parts.ts'

/** What a link needs of its settings; whatever is not here belongs to the making of messages. */
export interface LinkPlan {
  bind: Role | 'pair'
  sessions: number
  maxPerSecond: number | null
  receipts: MessageSettings['receipts']
  session: Omit<SessionSettings, 'bindAs'>
  reconnect: ReconnectPolicy
  classify: Classify
  capabilities: Capabilities
  /** How a PDU is said in the log; null where none is traced. */
  trace: ((pdu: Pdu | MalformedPdu) => Record<string, unknown>) | null
  canonicalId(messageId: string): string
  /** The parts of a message as they go on the wire. */
  partsOf(submission: Submission): MessageFields[]
  /** So many seconds of validity, as they stand in a part. */
  validityPeriod: (seconds: number) => string
}

/** The plan for changed settings; null when they need sessions of their own. */
export type Replan = (settings: Readonly<Record<string, string>>) => LinkPlan | null
