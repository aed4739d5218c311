import { loadConnectorKind, testKind } from '../../connectors/registry.ts'
import { addDevice, type DeviceDeps } from '../../devices/core/device-store.ts'
import type { Writer } from '../../storage/seam/writer.ts'

/** Ensures that test keys have their simulator: one shared device of mode `test` that may use any sender. */
export async function ensureTestSimulator(writer: Writer, deps: Omit<DeviceDeps, 'rules'>): Promise<void> {
  const kind = testKind
  const rules = await loadConnectorKind(kind)
  if (rules === null) throw new Error('the simulator is missing from the registry')
  await writer.write(async (tx) => {
    const known = await tx
      .selectFrom('devices')
      .select('id')
      .where('mode', '=', 'test')
      .where('account_id', 'is', null)
      .executeTakeFirst()
    if (known !== undefined) return
    const device = {
      accountId: null,
      mode: 'test',
      kind,
      name: 'Test simulator',
      senders: ['*'],
      actor: 'system',
    } as const
    await addDevice(tx, { ...deps, rules }, device)
  })
}
