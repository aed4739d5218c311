import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

// The branch of the scripts for a machine that systemd runs. Programs that they call are scripts here, which answer as systemctl(1) of systemd 252 and
// deb-systemd-invoke(1p) of init-system-helpers 1.65 do: `is-active` prints the state, and ends with 3 unless it is `active`.

const sources = join(import.meta.dirname, '../../deploy/debian')

let machine: string
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'onesixty-machine-'))
  onTestFinished(() => rm(machine, { recursive: true }))
  for (const folder of ['bin', 'usr/bin', 'run/systemd/system'])
    await mkdir(join(machine, folder), { recursive: true })
  const log = `echo "\${0##*/} $*" >>${machine}/log`
  for (const name of ['systemd-sysusers', 'install', 'deb-systemd-helper', 'sleep'])
    await lay(`bin/${name}`, log)
  await lay('bin/dpkg', '[ "$3" = lt ]')
  await lay(
    'bin/systemctl',
    `case $* in *is-active*) ;; *) ${log}; exit "$(cat ${machine}/reload)" ;; esac
state=$(cat ${machine}/state)
case $* in --quiet*) ;; *) echo "$state" ;; esac
[ "$state" = active ] || exit 3`,
  )
  await lay('bin/deb-systemd-invoke', `${log}\ncp ${machine}/next ${machine}/state`)
  await lay(
    'usr/bin/onesixty',
    `${log}\nenv >${machine}/env\ncase $* in *--known*) cat >${machine}/stdin ;; esac\nexit "$(cat ${machine}/code)"`,
  )
  await say({ state: 'active', next: 'active', code: '0', reload: '0' })
})

async function lay(path: string, script: string): Promise<void> {
  await writeFile(join(machine, path), `#!/bin/sh\n${script}\n`)
  await chmod(join(machine, path), 0o755)
}

/** Sets what the programs of the machine answer. */
async function say(answers: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(answers)) await writeFile(join(machine, name), `${text}\n`)
}

interface Ran {
  code: number
  said: string
  /** What it had other programs do. */
  calls: string[]
}

/** Runs a script as dpkg does, on the paths of the machine of the test, with an environment that a root has. */
async function run(script: string, ...args: string[]): Promise<Ran> {
  const text = (await readFile(join(sources, script), 'utf8'))
    .replaceAll(/\/(?:run|usr\/bin)\/(?=systemd|onesixty)/g, (path) => `${machine}${path}`)
    .replaceAll('@VERSION@', '0.2.0')
    .replace('@MIGRATIONS@', 'sqlite 0001_initial.sql x')
  await writeFile(join(machine, 'log'), '')
  const env = { PATH: `${join(machine, 'bin')}:/usr/bin:/bin`, ONESIXTY_DATA: '/root/data', DATABASE_URL: 'postgres://of.root', NODE_OPTIONS: '--inspect' } // prettier-ignore
  const { code, said } = await new Promise<Pick<Ran, 'code' | 'said'>>((resolve) =>
    execFile('sh', ['-c', text, script, ...args], { env, cwd: machine }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    ),
  )
  const calls = (await readFile(join(machine, 'log'), 'utf8')).trim().split('\n')
  return {
    code,
    said,
    calls: calls.filter((call) => !/^(?:install|systemd-sysusers|deb-systemd-helper)/.test(call)),
  }
}

const checked = 'onesixty migrate --check'
const invoked = (action: string): string[] => [`deb-systemd-invoke ${action} onesixty.service`, 'sleep 2']

test('a first installation compares the data that is there, starts the service and says its state', async () => {
  await say({ state: 'inactive' })
  expect(await run('postinst', 'configure', '')).toEqual({
    code: 0,
    said: expect.stringContaining('is installed, its service is active.'),
    calls: ['systemctl daemon-reload', checked, ...invoked('start')],
  })
  await say({ state: 'inactive', next: 'failed' })
  expect((await run('postinst', 'configure', '')).said).toContain('its service is failed.')
})

test('an installation after a removal starts the service, as the first one does', async () => {
  await run('preinst', 'install', '0.1.0-1')
  await say({ state: 'inactive' })
  expect((await run('postinst', 'configure', '0.1.0-1')).calls).toEqual(
    expect.arrayContaining(invoked('start')),
  )
  await say({ state: 'inactive' })
  expect((await run('postinst', 'configure', '0.1.0-1')).calls).not.toContain(invoked('start')[0])
})

test('an upgrade restarts a service that is active, and no other', async () => {
  expect(await run('postinst', 'configure', '0.1.0-1')).toMatchObject({
    said: expect.stringContaining('was restarted, its service is active.'),
    calls: ['systemctl daemon-reload', checked, ...invoked('restart')],
  })
  for (const state of ['inactive', 'failed', 'activating']) {
    await say({ state })
    expect(await run('postinst', 'configure', '0.1.0-1')).toEqual({
      code: 0,
      said: expect.stringContaining(
        `its service is ${state} as before. To start it: systemctl start onesixty`,
      ),
      calls: ['systemctl daemon-reload', checked],
    })
  }
})

test.for([[''], ['0.1.0-1']])('where the database does not fit, nothing is started and the package is not configured (after %j)', async ([before = '']) => {
  await say({ code: '65' })
  const { code, said, calls } = await run('postinst', 'configure', before)
  expect({ code, calls }).toEqual({ code: 1, calls: ['systemctl daemon-reload', checked] })
  expect(said).toContain('dpkg --configure onesixty')
}) // prettier-ignore

test('a fault of the settings leaves the server of the former version running, and is no fault of the package', async () => {
  await say({ code: '78' })
  const { code, said, calls } = await run('postinst', 'configure', '0.1.0-1')
  expect({ code, calls }).toEqual({ code: 0, calls: ['systemctl daemon-reload', checked] })
  expect(said).toContain(
    'was not restarted and is active. Fix what is said above, then: systemctl restart onesixty',
  )
})

test.for([
  ['65', 1, 'so the upgrade stops'],
  ['78', 0, 'could not be compared'],
  ['1', 0, 'could not be compared'],
  ['0', 0, ''],
] as const)('before anything is replaced, the code %s of the comparison ends preinst with %d', async ([code, wanted, words]) => {
  await say({ code })
  expect(await run('preinst', 'upgrade', '0.1.0-1')).toEqual({
    code: wanted,
    said: expect.stringContaining(words),
    calls: [`${checked} --known -`],
  })
  expect(await readFile(join(machine, 'stdin'), 'utf8')).toBe('sqlite 0001_initial.sql x\n')
}) // prettier-ignore

test('the program is called by its path, and without the environment of the root who calls dpkg', async () => {
  await lay('bin/onesixty', `echo another >>${machine}/log`)
  for (const script of ['preinst', 'postinst'] as const) {
    await rm(join(machine, 'env'), { force: true })
    const { calls } = await run(script, script === 'preinst' ? 'upgrade' : 'configure', '0.1.0-1')
    expect(calls).not.toContain('another')
    const names = (await readFile(join(machine, 'env'), 'utf8')).trim().split('\n').map((line) => line.split('=')[0]) // prettier-ignore
    expect(
      names.filter((name) => name !== 'PWD' && name !== '_'),
      script,
    ).toEqual(['PATH'])
  }
})

test('systemd that does not answer stops neither an upgrade nor a removal', async () => {
  await say({ reload: '1' })
  expect((await run('postinst', 'configure', '0.1.0-1')).code).toBe(0)
  expect((await run('postrm', 'remove')).code).toBe(0)
  await lay('bin/deb-systemd-invoke', 'exit 1')
  expect((await run('prerm', 'remove')).code).toBe(0)
})

test('where systemd does not run, the scripts start and compare nothing', async () => {
  await rm(join(machine, 'run/systemd'), { recursive: true })
  expect(await run('postinst', 'configure', '')).toMatchObject({ code: 0, said: '', calls: [] })
  await run('preinst', 'install', '0.1.0-1')
  await expect(stat(join(machine, 'run/onesixty.installed'))).rejects.toThrow('ENOENT')
})
