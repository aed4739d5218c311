import { execFile } from 'node:child_process'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')

/** A form of the program that can be started. */
export interface Form {
  name: string
  kind: 'checkout' | 'package' | 'one file' | 'beside'
  /** What its commands begin with, and where they run. */
  command: readonly string[]
  folder: string
  /** A cache that outlives a start; without one, each start finds an empty one. */
  keepsCache?: string
  size: { packedMb: number; words: string }
}

/** The arguments that `npm start` gives to Node.js of a checkout. */
async function startOf(checkout: string): Promise<string[]> {
  const manifest = await readFile(join(checkout, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
  const [, ...args] = scripts.start.split(' ').slice(0, -1)
  return [join(checkout, 'node_modules/node/bin/node'), ...args]
}

/** Returns the space that files take, in MB. */
async function megabytesOf(...paths: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)('du', [
    '--summarize',
    '--total',
    '--exclude=.cache',
    '--block-size=1',
    ...paths,
  ])
  return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1]) / 1e6
}

/** Lists the forms to compare. Throws where the artefacts of the release are missing. */
export async function formsOf({
  scratch,
  beside,
}: {
  scratch: string
  beside: string | undefined
}): Promise<Form[]> {
  const forms = [...(beside === undefined ? [] : await checkoutsBeside(beside, scratch))]
  const packages = await megabytesOf(join(root, 'node_modules'))
  forms.push({
    name: 'checkout',
    kind: 'checkout',
    command: await startOf(root),
    folder: root,
    size: { packedMb: packages, words: `${Math.round(packages)} MB` },
  })
  const { version } = packageJson
  const [tarball, executable] = [`onesixty-${version}.tgz`, `onesixty-${version}-linux-x64`].map((name) =>
    join(root, 'release', name),
  ) as [string, string]
  const missing = new Error(
    'The package and the executable are missing. Run npm run release -- --only npm,sea first.',
  )
  const bytesOf = (file: string): Promise<number> =>
    stat(file).then(
      ({ size }) => size,
      () => Promise.reject(missing),
    )
  const [packed, whole] = [(await bytesOf(tarball)) / 1e6, (await bytesOf(executable)) / 1e6]
  await mkdir(join(scratch, 'package'), { recursive: true })
  await promisify(execFile)('tar', ['-xf', tarball, '-C', scratch])
  const unpacked = await megabytesOf(join(scratch, 'package'))
  const [, ...flags] = packageJson.scripts.start.split(' ').slice(0, -2)
  forms.push({
    name: 'package',
    kind: 'package',
    command: [process.execPath, ...flags, join(scratch, 'package/bin/onesixty.js')],
    folder: scratch,
    size: {
      packedMb: packed,
      words: `${Math.round(unpacked)} MB, ${packed.toFixed(1)} MB packed`,
    },
  })
  forms.push({
    name: 'executable',
    kind: 'one file',
    command: [executable],
    folder: scratch,
    size: { packedMb: whole, words: `${Math.round(whole)} MB` },
  })
  return forms
}

/** A checkout of another commit: as it starts after an installation, and as it starts later. */
async function checkoutsBeside(folder: string, scratch: string): Promise<Form[]> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: folder })
  const megabytes = await megabytesOf(join(folder, 'node_modules'))
  const form: Form = {
    name: `checkout of ${stdout.trim()}, first start`,
    kind: 'beside',
    command: await startOf(folder),
    folder,
    size: { packedMb: megabytes, words: `${Math.round(megabytes)} MB` },
  }
  return [
    form,
    { ...form, name: `checkout of ${stdout.trim()}, later starts`, keepsCache: join(scratch, 'cache') },
  ]
}
