import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packagedUnit } from '../../scripts/release/deb.ts'
import { readUnit } from '../deployment-file.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const text = (path: string): string => readFileSync(join(deploy, path), 'utf8')
const unitOfCheckout = text('onesixty.service')

test('the unit of the Debian package starts the executable itself, so that its user applies', () => {
  const unit = readUnit(packagedUnit(unitOfCheckout))
  expect(unit.all('ExecStart')).toEqual(['/usr/lib/onesixty/onesixty serve'])
  expect(unit.all('WorkingDirectory')).toEqual(['/var/lib/onesixty'])
  expect(unit.all('UnsetEnvironment')).toEqual(['NODE_OPTIONS'])
  expect(unit.all('User')).toEqual(['onesixty'])
  expect(packagedUnit(unitOfCheckout)).not.toContain('/opt/')
})

test('it has every other line of the unit of a checkout, and is not made from one that has changed', () => {
  const kept = unitOfCheckout
    .split('\n')
    .filter((line) => /^(?:Protect|Restrict|Private|System|Restart|Kill)/.test(line))
  expect(kept.length).toBeGreaterThan(18)
  const packaged = packagedUnit(unitOfCheckout).split('\n')
  expect(kept.filter((line) => !packaged.includes(line))).toEqual([])
  expect(() => packagedUnit(unitOfCheckout.replace('ExecStart=', 'ExecStartPost='))).toThrow(
    'has no line for',
  )
})

test('every file that the package is built from is in the repository', () => {
  const builder = readFileSync(join(deploy, '../scripts/release/deb.ts'), 'utf8')
  const named = [...builder.matchAll(/source\('([^']+)'\)/g)].map(([, name]) => `debian/${name}`)
  expect(named).toContain('debian/onesixty.env')
  const tracked = execFileSync('git', ['ls-files', 'debian'], { cwd: deploy, encoding: 'utf8' }).split('\n')
  expect(named.filter((name) => !tracked.includes(name))).toEqual([])
})

test('the user of the service is declared in words that systemd of Debian 12 reads', () => {
  expect(text('debian/sysusers.conf')).toMatch(/^u onesixty - /)
})

test.for(['preinst', 'postinst', 'prerm', 'postrm', 'onesixty.sh'])('%s is a script of the shell', (name) => {
  const script = text(`debian/${name}`)
  expect(script).toMatch(/^#!\/bin\/sh\n/)
  expect(script).toMatch(/^set -eu?$/m)
  execFileSync('sh', ['-n', join(deploy, 'debian', name)])
})

test('scripts of the package touch units only where systemd runs, and never remove the data folder', () => {
  for (const name of ['postinst', 'prerm', 'postrm']) {
    const script = text(`debian/${name}`)
    const lines = script.split('\n')
    const first = lines.findIndex((line) => line.includes('systemctl '))
    if (first >= 0) expect(lines.slice(0, first + 1).join('\n'), name).toContain('-d /run/systemd/system ]')
    expect(script, name).not.toMatch(/rm -r/)
  }
})
