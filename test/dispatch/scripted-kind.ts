import type { ConnectorKind, Link } from '../../src/connectors/connector.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'

/** The simulator's kind, whose links answer for a message what the test says. */
export const scriptedKind = (
  said: Pick<Link, 'submit'> & Partial<Pick<Link, 'window' | 'applySettings' | 'resumeUnknown'>>,
): ConnectorKind => ({
  ...simulatorKind,
  createLink(setup, tools, events) {
    const link = simulatorKind.createLink(setup, tools, events)
    return {
      window: 10,
      capabilities: link.capabilities,
      health: () => link.health(),
      start: () => link.start(),
      stop: () => link.stop(),
      ...said,
    } satisfies Link
  },
})
