import type { DeviceReportBody } from '../../src/storage/tables/json-columns.ts'
import { type DeviceReport, saveDeviceReports } from '../../src/devices/status/device-report.ts'
import type { DeviceState, Mode } from '../../src/storage/tables/schema.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

export interface DevicesFixture extends TestStorage {
  addAccount(id: string, state?: 'active' | 'suspended'): Promise<void>
  addDevice(id: string, accountId: string | null, row?: { state?: DeviceState; mode?: Mode }): Promise<void>
  report(
    deviceId: string,
    report?: Partial<Omit<DeviceReport, 'body'>> & { body?: Partial<DeviceReportBody> },
  ): Promise<void>
}

const body: DeviceReportBody = {
  link: 'stream',
  lastSeenAt: null,
  nextContactExpectedBy: null,
  appVersion: '1.68.0',
  battery: null,
  network: null,
  sims: [{ slot: 1, number: '+4915199990001', carrier: 'Telekom.de' }],
  capabilities: { deliveryReports: true, maxParts: 10, alphanumericSender: false },
  throughput: null,
  inFlight: 0,
  lastSentAt: 5,
  lastError: 'no_service',
}

/** Accounts, devices and their reports in the real store. */
export async function openDevicesFixture(): Promise<DevicesFixture> {
  const base = await openTestStorage()
  const { storage, clock } = base
  return {
    ...base,
    async addAccount(id, state = 'active') {
      await storage.writer.write((tx) =>
        insertRows(tx, 'accounts', [{ id, name: id, state, created_at: 0, updated_at: 0 }]),
      )
    },
    async addDevice(id, accountId, { state = 'enabled', mode = 'live' } = {}) {
      const row = {
        id,
        account_id: accountId,
        mode,
        kind: 'simulator',
        name: `Name of ${id}`,
        state,
        senders: '[]',
        settings: '{}',
        created_at: 0,
        updated_at: 0,
      }
      await storage.writer.write((tx) => insertRows(tx, 'devices', [row]))
    },
    async report(deviceId, report = {}) {
      const whole = {
        deviceId,
        status: 'online' as const,
        reasons: [],
        reportedAt: clock.now(),
        ...report,
        body: { ...body, ...report.body },
      }
      await storage.writer.write((tx) => saveDeviceReports(tx, [whole]))
    },
  }
}
