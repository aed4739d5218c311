import type { ConnectorKind } from '../../../connectors/connector.ts'
import type { GuideSubject } from '../../../dispatch/devices/guide-known.ts'
import type { GuideFacts, GuideStep } from '../../../devices/phones/connect-guide.ts'
import type { CommandStorage } from '../../../storage/open/command-storage.ts'
import type { CommandContext } from '../../core/command-context.ts'
import type { Terminal } from '../../core/terminal.ts'
import type { GuideScreen } from './guide-screen.ts'

/** One guided connect at a terminal. */
export interface GuideSession {
  tools: CommandContext
  storage: CommandStorage
  terminal: Terminal
  screen: GuideScreen
  kind: ConnectorKind
  owner: { accountId: string; mode: 'live' }
  facts: GuideFacts
  subject: GuideSubject
  /** What was typed last, offered again after a failure. */
  typed: { address: string; to: string }
  /** Reads what is known now; returns the steps. */
  look(): Promise<GuideStep[]>
}
