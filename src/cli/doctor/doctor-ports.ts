import { stat } from 'node:fs/promises'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { addedKinds, factsOf, loadConnectorKind } from '../../connectors/registry.ts'
import { reportLifetimeMs } from '../../devices/status/device-report.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { nodeNameOf } from '../../process/node-name.ts'
import { readJson } from '../../storage/tables/json-columns.ts'
import { type CheckResult, fine, wrong } from '../core/check-result.ts'
import type { CommandContext } from '../core/command-context.ts'

/** More than a machine has; the rest is not examined. */
const maxDevices = 256

interface DeviceAtPort {
  id: string
  kind: string
  path: string
  settings: Readonly<Record<string, string>>
  /** A server reports a session on it: it is that server that has the port open. */
  isRunning: boolean
}

/**
 * Checks the serial ports of enabled devices of this node for the user of the server, who owns the data folder. Empty
 * without such devices.
 */
export async function examinePorts(
  db: Db,
  { config, clock }: Pick<CommandContext, 'config' | 'clock'>,
): Promise<CheckResult[]> {
  const uid = await stat(config.dataFolder).then(
    (folder) => folder.uid,
    () => process.getuid?.() ?? 0,
  )
  const own = nodeNameOf(config)
  const sentences: string[] = []
  const remedies = new Set<string>()
  let examined = 0
  for (const { id, kind, path, settings, isRunning } of await readDevices(db, clock.now())) {
    const loaded = await loadConnectorKind(kind)
    const node = loaded?.runsOn?.(settings) ?? own
    if (loaded?.ports === undefined || node !== own) continue
    examined += 1
    for (const { reason, detail } of await loaded.ports.examine({ path, uid })) {
      if (isRunning && reason === 'port_in_use') continue
      sentences.push(`${id} at ${path}: ${detail}`)
      for (const remedy of remediesOf(kind, [reason])) remedies.add(remedy)
    }
  }
  if (examined === 0) return []
  return [
    sentences.length === 0
      ? fine('ports', `${examined} in use by devices; user ${uid} can open them.`)
      : wrong('ports', sentences.join(' '), [...remedies].join(' ')),
  ]
}

async function readDevices(db: Db, nowMs: number): Promise<DeviceAtPort[]> {
  const kinds = addedKinds.filter((kind) => factsOf(kind)?.portSetting !== undefined)
  const rows = await db
    .selectFrom('devices as d')
    .leftJoin('device_reports as r', 'r.device_id', 'd.id')
    .select(['d.id', 'd.kind', 'd.settings', 'r.body', 'r.reported_at'])
    .where('d.kind', 'in', kinds)
    .where('d.state', '=', 'enabled')
    .orderBy('d.id')
    .limit(maxDevices)
    .execute()
  return rows.flatMap(({ id, kind, settings: stored, body, reported_at: reportedAt }) => {
    const settings = readJson(stored)
    const path = settings[factsOf(kind)?.portSetting ?? '']
    const isFresh = reportedAt !== null && nowMs - reportedAt < reportLifetimeMs
    const isRunning = isFresh && body !== null && readJson(body).link === 'session'
    return path?.startsWith('/') === true ? [{ id, kind, path, settings, isRunning }] : []
  })
}
