import type { ConnectorKind } from '../../../connectors/connector.ts'
import type { GuideSubject } from '../../../dispatch/devices/guide-known.ts'
import type { GuideFacts, GuideStep } from '../../../devices/phones/connect-guide.ts'
import type { PhoneTokenOwner } from '../../../devices/phones/phone-tokens.ts'
import type { CommandStorage } from '../../../storage/open/command-storage.ts'
import type { Mode } from '../../../storage/tables/schema.ts'
import type { CommandContext } from '../../core/command-context.ts'
import type { Terminal } from '../../core/terminal.ts'
import type { TestSms } from '../send-test.ts'
import type { GuideScreen } from './guide-screen.ts'

/** One guided connect at a terminal. */
export interface GuideSession {
  tools: CommandContext
  storage: CommandStorage
  terminal: Terminal
  screen: GuideScreen
  kind: ConnectorKind
  /** Whose test SMS it is, and whose phone unless it is shared. */
  owner: { accountId: string; mode: Mode }
  isShared: boolean
  facts: GuideFacts
  subject: GuideSubject
  /** The private token that was created, and that no phone has used yet. */
  invitation: (PhoneTokenOwner & { tokenId: string; token: string }) | null
  /** Identifies the link that a phone opens. */
  reachNonce: string | null
  /** What was typed last, offered again after a failure. A test keeps its key until it is accepted. */
  typed: { address: string; test: TestSms | null }
  /** Reads what is known now; returns the steps. */
  look(): Promise<GuideStep[]>
}

/** Returns who owns the phone. */
export const phoneOwner = ({
  owner,
  isShared,
}: Pick<GuideSession, 'owner' | 'isShared'>): PhoneTokenOwner => ({
  accountId: isShared ? null : owner.accountId,
  mode: owner.mode,
})
