import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settings } from '../../src/settings/settings.ts'
import { type DockerStage, namedSettings, readDockerfile } from '../deployment-file.ts'
import { proofSizes } from '../proof-sizes.ts'

// CI builds no image and starts no unit: what stands in the files of deployment is held against the repository here.

const repository = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(repository, path), 'utf8')
const isFile = (path: string): boolean => statSync(join(repository, path)).isFile()
const imageStage = readDockerfile(readText('Dockerfile')).at(-1) as DockerStage

interface ComposeService {
  image: string
  environment?: Record<string, string>
  volumes?: string[]
  stop_grace_period?: string
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  tmpfs?: string[]
  ports?: string[]
  networks?: string[]
}
interface Compose {
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>
  volumes: Record<string, null>
}
const composeText = readText('compose.yaml')
const compose = parse(composeText, { merge: true }) as Compose
const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('node-'))

test('each setting that the files of deployment and their documents name is one', () => {
  const ofTests = Object.keys(proofSizes).map((name) => `ONESIXTY_TEST_${name}`)
  const ofProgram = Object.values(settings).map(({ env }) => env)
  // A variable of Compose.
  const others = ['ONESIXTY_API_KEY', 'ONESIXTY_PROGRAM', 'ONESIXTY_VERSION', 'ONESIXTY_TEST_SCREENSHOTS']
  const known = new Set<string>([...ofProgram, ...ofTests, ...others])
  const files = ['Dockerfile', 'compose.yaml', ...globSync('deploy/**/*', { cwd: repository }).filter(isFile)]
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: repository })
  expect(namedSettings('see ONESIXTY_NO_SUCH and ONESIXTY_PORT')).toEqual([
    'ONESIXTY_NO_SUCH',
    'ONESIXTY_PORT',
  ])
  const unknown = [...files, ...documents].flatMap((path) =>
    namedSettings(readText(path))
      .filter((name) => !known.has(name))
      .map((name) => `${path} names ${name}`),
  )
  expect(unknown).toEqual([])
})

test('each node has a name and a data folder of its own', () => {
  expect(nodes.length).toBe(2)
  const names = nodes.map(([, { environment = {} }]) => environment['ONESIXTY_NODE'])
  expect(new Set(names)).toEqual(new Set(nodes.map(([name]) => name)))
  const folders = nodes.map(([, { volumes = [] }]) => volumes)
  expect(folders).toEqual(names.map((name) => [`${name}:${imageStage.env['ONESIXTY_DATA']}`]))
  const named = Object.values(compose.services)
    .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
    .filter((source) => !source.startsWith('.'))
  expect(new Set(named)).toEqual(new Set(Object.keys(compose.volumes)))
})

test('no password has a default, and none stands in the files', () => {
  const asked = [...composeText.matchAll(/\$\{(\w+)(\S*)/g)].map(([, name, rest = '']) => ({ name, rest }))
  const secrets = asked.filter(({ name = '' }) => /PASSWORD|SECRET/.test(name))
  expect(secrets.length).toBeGreaterThan(3)
  expect(secrets.filter(({ rest }) => !rest.startsWith(':?'))).toEqual([])
  const values = Object.values(compose.services).flatMap(({ environment = {} }) =>
    Object.entries(environment),
  )
  const written = values.filter(
    ([name, value]) => /PASSWORD|SECRET|TOKEN/.test(name) && !value.startsWith('${'),
  )
  expect(written).toEqual([])
  expect(composeText).not.toMatch(/:\/\/\w+:[^@\s]+@/)
})

test('every container is read-only, without rights, and cannot win any', () => {
  const services = Object.entries(compose.services)
  expect(services.map(([name]) => name)).toEqual(['node-1', 'node-2', 'postgres', 'caddy'])
  const lax = services.filter(
    ([, { read_only, cap_drop, security_opt, cap_add = [] }]) =>
      read_only !== true ||
      cap_drop?.join() !== 'ALL' ||
      security_opt?.join() !== 'no-new-privileges:true' ||
      cap_add.some((right) => right !== 'NET_BIND_SERVICE'),
  )
  expect(lax).toEqual([])
  expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['caddy'])
})

test('PostgreSQL has no way out, and the nodes trust their proxy alone', () => {
  expect(compose.services['postgres']?.networks).toEqual(['back'])
  expect(compose.networks['back']).toEqual({ internal: true })
  const [front] = compose.networks['front']?.ipam?.config ?? []
  for (const [, { environment = {} }] of nodes)
    expect(environment['ONESIXTY_TRUSTED_PROXIES']).toBe(front?.subnet)
})

test('a stop of a container waits longer than the drain of the program', () => {
  const drainSeconds = settings.drainTimeoutMs.default / 1000
  for (const [, { stop_grace_period = '0s' }] of nodes)
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(drainSeconds)
})

test('the files that compose.yaml mounts are there', () => {
  const mounted = Object.values(compose.services)
    .flatMap(({ volumes = [] }) => volumes)
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => volume.split(':')[0] ?? '')
  expect(mounted.length).toBe(2)
  expect(mounted.filter((path) => !existsSync(join(repository, path)))).toEqual([])
  // Run by the image only if it may be; else it is read as a part of the image's own script.
  expect(statSync(join(repository, 'deploy/postgres-role.sh')).mode & 0o111).toBe(0o111)
})

test('PostgreSQL is started with nothing that a node would refuse', () => {
  const command = composeText.slice(composeText.indexOf('postgres:\n    <<'))
  for (const unsafe of ['fsync=', 'full_page_writes=', 'synchronous_commit='])
    expect(command).not.toContain(`- ${unsafe}`)
})

test('the proxy balances all nodes, hides what is inside, and drops a connection before a node does', () => {
  const caddyfile = readText('deploy/Caddyfile')
  const [, upstreams = ''] = /reverse_proxy (.+) \{/.exec(caddyfile) ?? []
  expect(upstreams.split(' ')).toEqual(nodes.map(([name]) => `${name}:${settings.port.default}`))
  expect(caddyfile).toMatch(/@inside path \/metrics \/healthz \/readyz\n\s+respond @inside 404/)
  expect(caddyfile).toContain('health_uri /readyz')
  // Requests with one key reach one node (docs/scaling.md); what has none must not all go to one.
  expect(caddyfile).toMatch(/lb_policy header Authorization \{\n\s+fallback least_conn\n\s+\}/)
  // It would keep a stream to a node open after its reader has left.
  expect(caddyfile.replaceAll(/#.*/g, '')).not.toContain('flush_interval')
  const [, keepaliveSeconds] = /keepalive (\d+)s/.exec(caddyfile) ?? []
  expect(Number(keepaliveSeconds) * 1000).toBeLessThan(settings.keepAliveTimeoutMs.default)
  expect(caddyfile).toContain(`request_buffers ${settings.maxBodyBytes.default / 1024}KiB`)
  expect(caddyfile.split('{').length).toBe(caddyfile.split('}').length)
})

test('one container has the health check, the stop and the protection that nodes have, and is reached from this machine alone', () => {
  const { services } = parse(readText('deploy/compose.single.yaml')) as Compose
  const one = services['onesixty'] as ComposeService & { healthcheck: { test: string[] } }
  expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  // The printed command needs neither this file nor its folder, and no image of that name is fetched.
  const command = { ONESIXTY_COMMAND: 'docker exec -it onesixty onesixty' }
  expect(one).toMatchObject({ container_name: 'onesixty', environment: command, pull_policy: 'never' })
  expect(one.healthcheck.test).toEqual(['CMD', '/usr/bin/onesixty', 'healthy'])
  expect(one.ports).toEqual([`127.0.0.1:${settings.port.default}:${settings.port.default}`])
  expect(Number.parseInt(one.stop_grace_period ?? '', 10)).toBeGreaterThan(
    settings.drainTimeoutMs.default / 1000,
  )
  expect(one.volumes).toEqual(['data:/var/lib/onesixty'])
})
