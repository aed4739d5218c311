import { explainMessage } from '../dispatch/devices/explain-on-pool.ts'
import { randomBytes } from 'node:crypto'
import { deriveKey, markOf } from '../runtime/derived-keys.ts'
import type { AccountLimits } from '../sending/account-limits.ts'
import { type AuthSecret, createAuth } from '../api/console/core/auth.ts'
import type { Surroundings } from '../api/console/core/call.ts'
import { AddressTries } from '../api/console/core/address-tries.ts'
import { DeviceTrials } from '../api/console/core/device-trials.ts'
import { PhoneSearches } from '../api/console/core/phone-searches.ts'
import { ExportSlots } from '../api/console/core/export-slots.ts'
import { createIdentityLimits } from '../api/console/core/identity-limits.ts'
import { LiveFeed } from '../api/console/core/live-feed.ts'
import { liveSources } from '../api/console/live/live-sources.ts'
import { createMailer } from '../process/mailer.ts'
import { createConsoleMount } from '../api/console/mount.ts'
import type { ConsolePorts, HistoryPorts, IdentityPorts } from '../api/console/core/console-ports.ts'
import { measureHealth } from '../api/console/core/system-health.ts'
import type { Mount } from '../api/edge/mount.ts'
import type { Sender } from '../sending/sender.ts'
import { createWebhookSecretBox } from '../runtime/secret-box.ts'
import { providerAddresses } from '../connectors/providers.ts'
import type { DevicePool } from '../dispatch/devices/device-pool.ts'
import { openAccount } from './open-account.ts'
import type { Wiring } from './wiring.ts'
import { createNumberHash } from '../numbers/number-hash.ts'
import { programVersion } from '../process/program-version.ts'
import { createAddressGuard } from '../outgoing/address-guard.ts'
import { createOutgoing } from '../outgoing/create-outgoing.ts'
import { deviceSettings } from '../settings/device-settings.ts'
import { webhookSettings } from '../settings/webhook-settings.ts'

/** Mounts the calls of the console, with what they need from the other parts. */
export function createConsole(
  wiring: Wiring,
  {
    pool,
    sender,
    limits,
    publicUrl,
  }: { pool: DevicePool; sender: Sender; limits: AccountLimits; publicUrl: () => string },
): Mount {
  const ports: ConsolePorts = {
    sender,
    limits,
    history: createHistoryPorts(wiring, pool),
    devices: {
      secretBox: wiring.secretBox,
      trials: new DeviceTrials(wiring, wiring.config.deviceTryPauseSeconds * 1_000),
      addressTries: new AddressTries(wiring),
      searches: new PhoneSearches(),
      networks: wiring.networks,
      serialPorts: wiring.serialPorts,
      outgoing: createOutgoing(wiring.config.providerAllow, deviceSettings.providerAllow.env),
      addressesOf(deviceId, settings) {
        const { publicUrl: url } = wiring.config
        return url === null ? null : providerAddresses(wiring.secret, { publicUrl: url, deviceId, settings })
      },
    },
    health: createHealth(wiring, publicUrl),
    identity: createIdentityPorts(wiring, publicUrl),
    webhooks: {
      secretBox: createWebhookSecretBox(wiring.secret),
      guard: createAddressGuard(wiring.config.webhookAllow, webhookSettings.webhookAllow.env),
    },
  }
  return createConsoleMount(surroundingsOf(wiring, ports, publicUrl))
}

/** Collects the dependencies of the console's calls. */
function surroundingsOf(
  wiring: Wiring,
  ports: ConsolePorts,
  publicUrl: () => string,
): Omit<Surroundings, 'log'> {
  const { read, writer, clock, ids, config, log, changes, storage } = wiring
  const { current, former } = wiring.secret
  const secrets = [authSecretOf(current), ...former.map(authSecretOf)] as const
  const auth = createAuth({ read: storage.priorityRead, writer, config, log, secrets, publicUrl })
  const live = new LiveFeed({
    clock,
    sources: liveSources({ readOf: storage.readOf }),
    failed: (error) => log.error({ err: error }, 'failed to send a change to a live stream'),
  })
  changes.listen({ isLooking: () => live.count() > 0, changed: (accountId) => live.changed(accountId) })
  return { read, readOf: storage.readOf, writer, clock, ids, config, auth, live, ports, publicUrl }
}

/**
 * Builds a secret for Better Auth. Its version is 48 bits of its mark, which is unique within this database;
 * a JavaScript number holds 53 bits.
 */
const authSecretOf = (secret: string): AuthSecret => ({
  version: Number.parseInt(markOf(secret).slice(0, 12), 16),
  value: Buffer.from(deriveKey(secret, 'console-sessions')).toString('base64url'),
})

const createHistoryPorts = (
  { config, read, storage, secret, optOuts, clock }: Wiring,
  pool: DevicePool,
): HistoryPorts => ({
  cursorKey: deriveKey(secret.current, 'console-cursor'),
  numbers: createNumberHash(secret),
  exports: new ExportSlots({
    openLongReads: () => storage.openLongReads(),
    most: config.exportsAtOnce,
    maxOfAccount: config.exportsPerAccount,
  }),
  emptyLog: () => storage.emptyLog(),
  noteOptOuts: (stored) => optOuts.note(stored, clock.monotonicMs()),
  explain: (message, routeKey) => explainMessage({ read, pool }, message, routeKey),
  wakeDevice: (deviceId) => pool.get(deviceId)?.wake(),
})

/** Returns the reader of the operator's page about the instance. */
function createHealth(
  { config, clock, read, storage, metrics }: Wiring,
  publicUrl: () => string,
): ConsolePorts['health'] {
  const startedAt = clock.now()
  return () =>
    measureHealth({
      read,
      version: programVersion,
      startedAt,
      eventLoopLagP99Ms: metrics.eventLoopLagP99Ms,
      flushTimes: () => storage.flushTimes(),
      sizes: () => storage.sizes(),
      settings: () => ({ freeSms: config.freeSms, publicUrl: publicUrl() }),
    })
}

const createIdentityPorts = (wiring: Wiring, publicUrl: () => string): IdentityPorts => {
  const { clock, config, counts, ids, log } = wiring
  return {
    limits: createIdentityLimits({ clock, counts }, config),
    passkeyKey: deriveKey(wiring.secret.current, 'console-passkeys'),
    browserKey: deriveKey(wiring.secret.current, 'console-browsers'),
    mailer: createMailer({ config, log, publicUrl }),
    openAccount: (tx, nowMs, account) => openAccount(tx, { ids, nowMs, randomBytes, config }, account),
  }
}
