import type { ConnectorKind, Pull } from '../../src/connectors/connector.ts'
import type { Health } from '../../src/connectors/health.ts'
import type { SimChoice } from '../../src/connectors/sim-choice.ts'

/** A phone that is there, unless a test says that it is silent, and says nothing of itself. */
const health: Health = {
  status: 'online', reasons: [], link: 'stream', lastSeenAt: null, nextContactExpectedBy: null, appVersion: null, battery: null, network: null,
  sims: [], lastError: null,
} // prettier-ignore

/** A kind of device that fetches: what it is told is written down in `woken` and `recalled`. */
export const pullKind = (
  woken: string[] = [],
  recalled: string[] = [],
  window = 20,
  sims: SimChoice = { simOf: new Map(), turns: [] },
  silent: ReadonlySet<string> = new Set(),
  links: ReadonlyMap<string, Health['link']> = new Map(),
): ConnectorKind<Pull> => ({
  kind: 'android',
  settings: [],
  secretNames: [],
  createLink: ({ id }) => ({
    capabilities: { deliveryReports: true, maxParts: 10, alphanumericSender: false, encodingChoice: false },
    window,
    sims,
    limitRestMs: 1_800_000,
    health: () =>
      silent.has(id) ? { ...health, status: 'offline' } : { ...health, link: links.get(id) ?? 'stream' },
    start: async () => undefined,
    stop: async () => undefined,
    wake: () => void woken.push(id),
    recall: (attemptId) => void recalled.push(attemptId),
    rest: () => undefined,
    applySettings: () => true,
    remember: () => undefined,
  }),
})
