import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packArchive } from './archive.ts'
import { type SystemFiles, systemFiles } from './image-libraries.ts'
import { type Arch, debianNames, nodeBinary } from './one-file/node-binary.ts'
import { type Release, revisionOf, root, run } from './release.ts'

/** The user of the program in the image; the volume belongs to it. */
const user = 10_001

/**
 * Writes the image of both processors as an OCI layout in an archive, without Docker: `crane` puts a layer into an image that is otherwise empty. It
 * needs a registry for that, and is one itself, on the loopback interface.
 */
export async function buildImage(
  release: Release,
  { executable, archs, notices }: { executable: (arch: Arch) => Promise<string>; archs: readonly Arch[]; notices: string }, // prettier-ignore
): Promise<{ files: string[]; packages: SystemFiles['packages'] }> {
  const packages: SystemFiles['packages'] = []
  const registry = await startRegistry()
  try {
    const name = `${registry.address}/onesixty`
    const tags: string[] = []
    for (const arch of archs) {
      const system = await systemFiles(arch, join(release.work, 'libraries', arch))
      packages.push(...system.packages)
      const layer = await buildLayer(release, { arch, executable: await executable(arch), notices, system })
      const tag = `${name}:${arch}`
      const platform = `linux/${debianNames[arch].arch}`
      await crane([
        'append',
        '--oci-empty-base',
        `--platform=${platform}`,
        `--new_layer=${layer}`,
        `--new_tag=${tag}`,
      ])
      await crane(['mutate', tag, `--tag=${tag}`, `--set-platform=${platform}`, ...settings(release)])
      tags.push(tag)
    }
    await crane([
      'index',
      'append',
      ...tags.map((tag) => `--manifest=${tag}`),
      `--tag=${name}:${release.version}`,
    ])
    const layout = join(release.work, 'oci')
    await rm(layout, { recursive: true, force: true })
    await crane(['pull', '--format=oci', `${name}:${release.version}`, layout])
    await nameImage(layout, release.version)
    const file = join(release.out, `onesixty-${release.version}-oci.tar`)
    await packArchive(file, {
      folder: layout,
      members: ['blobs', 'index.json', 'oci-layout'],
      epochS: release.epochS,
    })
    return { files: [file, await writeCompose(release)], packages }
  } finally {
    await registry.stop()
  }
}

/**
 * Gives the image in a layout its name: `docker load` takes it from the first annotation, other tools the tag from the second
 * (https://specs.opencontainers.org/image-spec/annotations/).
 */
async function nameImage(layout: string, version: string): Promise<void> {
  const file = join(layout, 'index.json')
  const index = JSON.parse(await readFile(file, 'utf8')) as { manifests: object[] }
  const [descriptor, another] = index.manifests
  if (descriptor === undefined || another !== undefined) throw new Error('The layout has not one image.')
  const annotations = {
    'io.containerd.image.name': `docker.io/library/onesixty:${version}`,
    'org.opencontainers.image.ref.name': version,
  }
  await writeFile(file, JSON.stringify({ ...index, manifests: [{ ...descriptor, annotations }] }))
}

/** Writes the file for one container (deploy/compose.single.yaml) with the version of the image. */
async function writeCompose({ out, version }: Release): Promise<string> {
  const text = await readFile(join(root, 'deploy/compose.single.yaml'), 'utf8')
  const filled = text.replace(/\$\{ONESIXTY_VERSION:\?[^}]*\}/, version)
  if (filled === text) throw new Error('deploy/compose.single.yaml names no ONESIXTY_VERSION.')
  const file = join(out, `onesixty-${version}-compose.yaml`)
  await writeFile(file, filled)
  return file
}

const settings = ({ version, commit, epochS }: Release): string[] => [
  '--entrypoint=/usr/bin/onesixty',
  '--cmd=serve',
  `--user=${user}:${user}`,
  '--workdir=/var/lib/onesixty',
  '--env=ONESIXTY_HOST=0.0.0.0',
  '--env=ONESIXTY_DATA=/var/lib/onesixty',
  '--env=ONESIXTY_COMMAND=docker exec -it CONTAINER onesixty',
  '--exposed-ports=8160/tcp',
  `--label=org.opencontainers.image.version=${version}`,
  `--label=org.opencontainers.image.revision=${revisionOf({ version, commit })}`,
  `--label=org.opencontainers.image.created=${new Date(epochS * 1000).toISOString()}`,
  '--label=org.opencontainers.image.licenses=Apache-2.0',
]

/** Writes the only layer: the executable, the libraries that it names, certificates, a user and its folders. No shell. */
async function buildLayer(
  { work, epochS }: Release,
  {
    arch,
    executable,
    notices,
    system,
  }: { arch: Arch; executable: string; notices: string; system: SystemFiles },
): Promise<string> {
  const tree = join(work, 'image', arch)
  await rm(tree, { recursive: true, force: true })
  const folder = async (path: string): Promise<string> => {
    await mkdir(join(tree, path), { recursive: true })
    return join(tree, path)
  }
  await copyFile(executable, join(await folder('usr/bin'), 'onesixty'))
  for (const { path, file } of system.libraries) {
    await folder(join(path, '..'))
    await copyFile(file, join(tree, path))
  }
  for (const { name, licence } of system.packages)
    await copyFile(licence, join(await folder(`usr/share/doc/${name}`), 'copyright'))
  const own = await folder('usr/share/doc/onesixty')
  await copyFile(join(root, 'LICENSE'), join(own, 'LICENSE'))
  await writeFile(join(own, 'THIRD-PARTY-NOTICES'), notices)
  await writeFile(join(own, 'LICENSE.node'), (await nodeBinary(arch)).licence)
  await writeFile(join(await folder('etc/ssl/certs'), 'ca-certificates.crt'), system.certificates)
  await writeFile(join(tree, 'etc/passwd'), `onesixty:x:${user}:${user}::/var/lib/onesixty:/sbin/nologin\n`)
  await writeFile(join(tree, 'etc/group'), `onesixty:x:${user}:\n`)
  const layer = join(work, `layer-${arch}.tar`)
  const rest = ['etc', 'lib', ...(arch === 'x64' ? ['lib64'] : []), 'usr']
  await packArchive(layer, { folder: tree, members: rest, epochS })
  // The data folder is the user's, all else root's.
  for (const [path, mode, owner] of [
    ['tmp', '1777', 0],
    ['var/lib/onesixty', '0700', user],
  ] as const) {
    await folder(path)
    const as = ['--sort=name', `--mtime=@${epochS}`, '--numeric-owner', '--format=ustar', `--mode=${mode}`, `--owner=${owner}`, `--group=${owner}`] // prettier-ignore
    await run('tar', ['--append', `--file=${layer}`, ...as, `--directory=${tree}`, path])
  }
  return layer
}

const craneTool = process.env['CRANE'] ?? 'crane'

/** Throws how crane is installed where it is not, or the error. */
function sayIfMissing(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error
  throw new Error(
    'crane is not installed. Run go install github.com/google/go-containerregistry/cmd/crane@v0.22.1, and add the folder to PATH.',
  )
}

/** Runs crane. */
export const crane = (args: readonly string[]): Promise<string> => run(craneTool, args).catch(sayIfMissing)

/** Starts a registry in memory, `crane` itself, on a free port of the loopback interface. */
export async function startRegistry(): Promise<{ address: string; stop(): Promise<void> }> {
  const child = spawn(craneTool, ['registry', 'serve', '--address=127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await once(child, 'spawn').catch(sayIfMissing)
  const exited = once(child, 'exit')
  exited.catch(() => undefined)
  for await (const line of createInterface({ input: child.stderr })) {
    const port = /serving on port (\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    child.stderr.resume()
    return {
      address: `127.0.0.1:${port}`,
      async stop() {
        child.kill()
        await exited
      },
    }
  }
  throw new Error('crane started no registry.')
}
