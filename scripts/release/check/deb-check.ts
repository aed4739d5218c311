import { run } from '../release.ts'
import { type Artefacts, debianPackage, tools, versionLine } from './artefacts.ts'
import { proveFirstStart, runCommand, type Server, startServer } from './first-start.ts'
import { dataFolder, type DebianTree, inDebian } from './installed-deb.ts'
import { mustRun } from './mounts.ts'
import type { Check } from './run-checks.ts'

const settingsFile = '/etc/onesixty/onesixty.env'

/** dpkg installs, refuses, removes and purges the package in a Debian that is thrown away. */
export const debCheck: Check<Artefacts> = {
  name: 'deb',
  needs: [tools.curl, tools.dpkg, tools.unshare],
  isRoot: true,
  run: (on) =>
    inDebian(on, async (debian) => {
      await expectInstalled(on, debian)
      const served = await proveFirstStart(debian.installed, {
        while: (server) => expectUser(server, debian),
      })
      await expectRefusals(debian)
      await expectRemoved(debian)
      return `installed; ${served}; refused a downgrade and a newer database; removed, installed again, purged`
    }),
}

async function expectInstalled(on: Artefacts, debian: DebianTree): Promise<void> {
  await mustInstall(debian, debian.packages.built)
  const { tree } = debian
  const found = await mustRun(tree, ['stat', '--format=%n %U %a', dataFolder, settingsFile])
  if (found !== `${dataFolder} onesixty 700\n${settingsFile} root 600`) throw new Error(`dpkg made ${found}`)
  await mustRun(tree, ['test', '-L', '/etc/systemd/system/multi-user.target.wants/onesixty.service'])
  await mustRun(tree, ['dpkg', '--verify', 'onesixty'])
  const { output } = await runCommand(debian.installed, ['version'])
  if (output !== versionLine(on, 'one file')) throw new Error(`onesixty version says: ${output}`)
}

async function mustInstall(debian: DebianTree, file: string): Promise<void> {
  const { code, output } = await debian.install(file)
  if (code !== 0) throw new Error(`dpkg ended with ${code}: ${output.slice(-600)}`)
}

async function expectUser({ child }: Server, { tree }: DebianTree): Promise<string> {
  const user = await mustRun(tree, ['ps', '-o', 'user=', '-p', String(child.pid)])
  if (user !== 'onesixty') throw new Error(`The server runs as ${user}.`)
  return 'as the user onesixty'
}

/** A statement on the database, by another program than the one that is installed. */
const change = ({ tree }: DebianTree, statement: string): Promise<string> =>
  mustRun(
    tree,
    [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--eval',
      'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])',
      `${tree.root}${dataFolder}/onesixty.db`,
      statement,
    ],
    { outside: true },
  )

/** Neither an older package, nor one whose program the database does not fit, replaces anything: the server that runs does not notice. */
async function expectRefusals(debian: DebianTree): Promise<void> {
  const server = await startServer(debian.installed)
  try {
    await expectRefused(debian, debian.packages.older, /is older than/)
    await change(debian, `insert into schema_migrations values ('9999_later.sql', 'x', 0)`)
    await expectRefused(debian, debian.packages.newer, /does not know: 9999_later\.sql.*the upgrade stops/s)
    await change(debian, `delete from schema_migrations where name = '9999_later.sql'`)
    const { ok } = await fetch(`${server.url}/readyz`)
    if (!ok) throw new Error('The server that ran is not ready any more.')
    const end = await server.stop()
    if (end !== 0) throw new Error(`The server ended with ${end}.`)
  } finally {
    server.kill()
  }
}

async function expectRefused(debian: DebianTree, file: string, reason: RegExp): Promise<void> {
  const { code, output } = await debian.install(file)
  const version = await debian.installedVersion()
  const status = await mustRun(debian.tree, ['dpkg-query', '--show', '--showformat=${Status}', 'onesixty'])
  if (code === 0 || !reason.test(output) || version !== debian.version || status !== 'install ok installed')
    throw new Error(`dpkg ended with ${code} and has ${version}, ${status}: ${output.slice(-600)}`)
  await mustRun(debian.tree, ['dpkg', '--verify', 'onesixty'])
}

async function expectRemoved(debian: DebianTree): Promise<void> {
  const { tree } = debian
  await mustRun(tree, ['sh', '-c', `echo 'ONESIXTY_LOG_LEVEL=warn' >> ${settingsFile}`])
  await mustRun(tree, ['dpkg', '--remove', 'onesixty'])
  await mustRun(tree, ['grep', '--quiet', 'LOG_LEVEL', settingsFile])
  await mustRun(tree, ['test', '!', '-e', '/usr/lib/onesixty'])
  await mustInstall(debian, debian.packages.built)
  await mustRun(tree, ['grep', '--quiet', 'LOG_LEVEL', settingsFile])
  const { code } = await runCommand(debian.installed, ['doctor'])
  if (code !== 0) throw new Error('After a removal the doctor finds a fault in what was kept.')
  const purged = await mustRun(tree, ['dpkg', '--purge', 'onesixty'])
  if (!purged.includes(`remain in ${dataFolder}`)) throw new Error(`A purge says: ${purged}`)
  await mustRun(tree, ['test', '!', '-e', '/etc/onesixty'])
  await mustRun(tree, ['test', '-e', `${dataFolder}/onesixty.db`])
}

/** lintian finds no error in the packages of both processors. */
export const lintianCheck: Check<Artefacts> = {
  name: 'lintian',
  needs: [tools.lintian],
  async run(on) {
    const warnings: string[] = []
    for (const arch of ['amd64', 'arm64']) {
      const output = await run('lintian', ['--allow-root', '--fail-on=error', debianPackage(on, arch)])
      warnings.push(...(output.match(/^W: .*/gm) ?? []))
    }
    return `no error; ${new Set(warnings).size} warnings`
  },
}

/** The exposure that `systemd-analyze security` may give: that of deploy/onesixty.service. */
const mostExposed = 1.3

/** systemd reads the unit and the user as they are installed. */
export const systemdCheck: Check<Artefacts> = {
  name: 'systemd',
  needs: [tools.systemd, tools.dpkg, tools.unshare],
  isRoot: true,
  run: (on) =>
    inDebian(on, async (debian) => {
      const { tree } = debian
      await mustInstall(debian, debian.packages.built)
      const unit = '/lib/systemd/system/onesixty.service'
      const complaints = await mustRun(tree, ['systemd-analyze', 'verify', '--man=no', unit])
      if (complaints !== '') throw new Error(`systemd-analyze verify: ${complaints}`)
      const rated = await mustRun(tree, ['systemd-analyze', 'security', '--offline=yes', unit])
      const exposure = Number(/Overall exposure level for onesixty\.service: ([\d.]+)/.exec(rated)?.[1])
      if (!(exposure <= mostExposed)) throw new Error(`systemd-analyze security: ${rated.slice(-200)}`)
      const user = ['systemd-sysusers', '--dry-run', '/usr/lib/sysusers.d/onesixty.conf']
      await mustRun(tree, ['userdel', 'onesixty'])
      const made = await mustRun(tree, user)
      if (!/Creating user .?onesixty/i.test(made)) throw new Error(`systemd-sysusers: ${made}`)
      return `the unit has no fault, exposure ${exposure}; the user would be created`
    }),
}
