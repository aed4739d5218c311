import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { settings } from '../../src/settings/settings.ts'
import { readUnit } from '../deployment-file.ts'

const repository = join(import.meta.dirname, '../..')
const unit = readUnit(readFileSync(join(repository, 'deploy/onesixty.service'), 'utf8'))

test('the unit starts what npm start starts, by the Node.js that npm ci brings', () => {
  const [command = ''] = unit.all('ExecStart')
  const bin = `${unit.all('WorkingDirectory')[0]}/node_modules/.bin/`
  expect(command).toBe(`${bin}${packageJson.scripts.start}`)
})

test('a stop of the unit waits longer than the drain of the program', () => {
  const waits = Number.parseInt(unit.all('TimeoutStopSec')[0] ?? '', 10)
  expect(waits).toBeGreaterThan(settings.drainTimeoutMs.default / 1000)
})

test('the unit is started again as often as it takes, within the seconds that a kill may cost', () => {
  expect(unit.all('StartLimitIntervalSec')).toEqual(['0'])
  expect(unit.all('Restart')).toEqual(['on-failure'])
  expect(Number.parseFloat(unit.all('RestartSec')[0] ?? '')).toBeLessThan(5)
})

test('the unit writes nowhere but in its data folder, and leaves the program what it needs', () => {
  const data = /ONESIXTY_DATA=(\S+)/.exec(unit.all('Environment').join(' '))?.[1]
  expect(data).toBe(`/var/lib/${unit.all('StateDirectory')[0]}`)
  expect([unit.all('ProtectSystem'), unit.all('NoNewPrivileges'), unit.all('CapabilityBoundingSet')]).toEqual(
    [['strict'], ['yes'], ['']],
  )
  expect(unit.all('User')).toEqual(['onesixty'])
  expect(unit.all('KillMode')).toEqual(['mixed'])
  // Compiles while it runs; reads the number of the boot below /proc/sys.
  expect([unit.all('MemoryDenyWriteExecute'), unit.all('ProcSubset')]).toEqual([[], []])
})
