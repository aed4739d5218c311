import { ConfigError } from '../config.ts'
import { Heartbeats, type HeartbeatsDeps } from '../dispatch/nodes/heartbeats.ts'
import { missingSentence } from '../process/instance-secret.ts'
import { marksOf } from '../runtime/derived-keys.ts'
import { nodeNameOf } from '../process/node-name.ts'
import type { Storage } from '../storage/seam/storage.ts'
import { advanceEpoch, type EpochStart } from '../storage/instance/epoch.ts'
import { joinNodes } from '../storage/instance/nodes.ts'
import { agreeOnSecrets } from '../storage/instance/secret-mark.ts'
import type { Wiring } from './wiring.ts'

/**
 * Advances the epoch and registers the node with this number, in one transaction: a node that does not match
 * the epoch of its folder would be treated as a duplicate. Throws if a secret that the database was used with
 * is missing.
 */
export async function begin(
  storage: Storage,
  { config, clock, secret, times }: Pick<Wiring, 'config' | 'clock' | 'secret' | 'times'>,
): Promise<{ epoch: EpochStart; node: Wiring['node'] }> {
  const facts = {
    name: nodeNameOf(config),
    isAlone: config.databaseUrl === null,
    tidies: config.roles.includes('janitor'),
  }
  const epoch = await advanceEpoch(storage, config.dataFolder, clock.now(), async (tx, start) => {
    const lacks = await agreeOnSecrets(tx, marksOf(secret), clock.now())
    if (lacks !== null) throw new ConfigError(missingSentence(config, lacks))
    await joinNodes(tx, clock, { ...facts, ...start }, times)
  })
  return { epoch, node: { epoch: epoch.epoch, ...facts } }
}

/**
 * Creates the heartbeats of this node. `secretGivenUp` resolves if its secrets were declared lost while its
 * peers considered it dead.
 */
export function createHeartbeats(
  wiring: Wiring,
  listeners: Pick<HeartbeatsDeps, 'heard' | 'wasRestored'>,
): { heartbeats: Heartbeats; secretGivenUp: Promise<Error> } {
  const { promise: secretGivenUp, resolve } = Promise.withResolvers<Error>()
  const heartbeats = new Heartbeats({
    ...wiring,
    ...wiring.node,
    ...listeners,
    marks: marksOf(wiring.secret),
    secretGivenUp: (lacks) => resolve(new ConfigError(missingSentence(wiring.config, lacks))),
  })
  return { heartbeats, secretGivenUp }
}
