import { androidFacts } from './android/facts.ts'
import { httpFacts } from './http/facts.ts'
import type { ConnectorKind } from './connector.ts'
import type { RealKinds } from '../devices/core/carrying.ts'
import type { KindFacts } from './kind-facts.ts'
import { modemFacts } from './modem/facts.ts'
import { simulatorFacts } from './simulator/facts.ts'
import { smppFacts } from './smpp/facts.ts'

interface Entry {
  facts: KindFacts
  /** Loads the connector when it is first needed: a start loads only what is used. */
  load(): Promise<ConnectorKind>
}

/** The kinds of devices. */
const kinds: Readonly<Record<string, Entry>> = {
  simulator: {
    facts: simulatorFacts,
    load: async () => (await import('./simulator/simulator.ts')).simulatorKind,
  },
  android: { facts: androidFacts, load: async () => (await import('./android/android.ts')).androidKind },
  http: { facts: httpFacts, load: async () => (await import('./http/http.ts')).httpKind },
  smpp: { facts: smppFacts, load: async () => (await import('./smpp/smpp.ts')).smppKind },
  modem: { facts: modemFacts, load: async () => (await import('./modem/modem.ts')).modemKind },
}

export const connectorKinds: readonly string[] = Object.keys(kinds)

const entryOf = (kind: string): Entry | null => (Object.hasOwn(kinds, kind) ? (kinds[kind] ?? null) : null)

/** Returns the facts about a kind; null when this version does not know it. */
export const factsOf = (kind: string): KindFacts | null => entryOf(kind)?.facts ?? null

/** Loads the connector of a kind; null when this version does not know it. */
export const loadConnectorKind = async (kind: string): Promise<ConnectorKind | null> =>
  (await entryOf(kind)?.load()) ?? null

const namesOf = (is: (facts: KindFacts) => boolean): readonly string[] =>
  connectorKinds.filter((kind) => is((kinds[kind] as Entry).facts))

/** Kinds whose devices register by themselves. */
export const phoneKinds: readonly string[] = namesOf(({ isPhone }) => isPhone === true)
/** Kinds whose devices send nothing for real. */
export const simulatedKinds: readonly string[] = namesOf(({ isSimulated }) => isSimulated === true)
/** The kinds whose devices send for real, with what they can carry. */
export const realKinds: RealKinds = Object.fromEntries(
  Object.values(kinds).flatMap(({ facts: { kind, isSimulated, carries, receivesOnly } }) => {
    const { maxParts, alphanumericSender, encodingChoice: choosesEncoding } = carries
    const only = receivesOnly === undefined ? {} : { receivesOnly }
    return isSimulated ? [] : [[kind, { maxParts, alphanumericSender, choosesEncoding, ...only }]]
  }),
)
/** The kind whose shared device carries all test messages. */
export const testKind = 'simulator'
/** Kinds whose devices are added with their settings, by a form or a command. */
export const addedKinds: readonly string[] = namesOf(({ isPhone }) => isPhone !== true)
