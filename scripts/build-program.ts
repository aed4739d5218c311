import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { guides } from '../src/process/guides.ts'
import { readReferenceScript } from '../src/process/program-files.ts'
import { asciiCode } from './ascii-code.ts'

const root = join(import.meta.dirname, '..')

/** What a server, its threads and its commands begin with. */
const entries = {
  main: 'src/main.ts',
  units: 'src/messages/units.ts',
  'sqlite-worker': 'src/storage/sqlite/sqlite-worker.ts',
}

const builtHttp = join(import.meta.dirname, 'built-http.ts')

/** What is read, not imported. */
const files = [
  'console/dist',
  'src/api/pages/assets',
  'src/connectors/http/providers',
  'src/storage/schema',
  'src/storage/migrations',
  ...Object.values(guides).map(({ file }) => file),
]
/** What only the build of the console reads. */
const notesOfConsole = ['.vite', '.sources']

/**
 * Builds the program without its types and with all that it imports into `folder`, which is emptied: a server is ready in half the time and a command
 * in less, since it loads a hundred files in the place of two thousand. `more` names further entries by their files, `programFiles` what replaces
 * `src/process/program-files.ts`, `version` and `commit` what a release is called and built from. Returns the files that its modules are from. Refuses a folder
 * that holds anything else than a build of its own.
 */
export async function buildProgram(
  folder: string,
  {
    more = {},
    programFiles = join(import.meta.dirname, 'built-program-files.ts'),
    version,
    commit,
  }: {
    more?: Readonly<Record<string, string>>
    programFiles?: string
    version?: string
    commit?: string
  } = {},
): Promise<string[]> {
  await refuseForeign(folder)
  await rm(folder, { recursive: true, force: true })
  const build = await rolldown({
    cwd: root,
    input: { ...entries, ...more },
    platform: 'node',
    // serialport has binaries, which it finds next to its own files: it is loaded where it is installed, and modems over TCP need none.
    external: ['pg-native', 'serialport'],
    // The thread of the database and the main one share chunks: a class exists once in each.
    plugins: [
      {
        name: 'program-files',
        resolveId(id, _, { kind }) {
          if (id.endsWith('/program-files.ts')) return programFiles
          return /^(?:node:)?http$/.test(id) && kind !== 'require-call' ? builtHttp : null
        },
        load: (id) => (id.endsWith('-wasm.js') ? bytesOf(id) : null),
      },
    ],
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message)
    },
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    keepNames: true,
  })
  await build.close()
  // Not by a plugin: rolldown prints what that returns once more, with the characters themselves.
  for (const part of output)
    if (part.type === 'chunk') await writeFile(join(folder, part.fileName), asciiCode(part.code))
  const filter = (path: string): boolean => !notesOfConsole.includes(basename(path))
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true, filter })
  await writeFile(join(folder, 'reference.js.gz'), await readReferenceScript())
  await writeFile(join(folder, 'package.json'), await manifest({ version, commit }))
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])).toSorted()
}

/**
 * Returns a module whose default export is the bytes that a CommonJS module exports. As CommonJS, rolldown would give each byte a property with a
 * getter: 60,000 of them, an eighth of the time of a start.
 */
function bytesOf(file: string): string {
  const bytes: unknown = createRequire(import.meta.url)(file)
  if (!Buffer.isBuffer(bytes)) throw new Error(`${file} does not export bytes`)
  return `import { Buffer } from 'node:buffer'\nexport default Buffer.from('${bytes.toString('base64')}', 'base64')\n`
}

/** The members of package.json that a built program reads: its version, its commit, and that Node.js loads its files as modules. */
async function manifest(of: { version: string | undefined; commit: string | undefined }): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  const { name, version, type } = JSON.parse(text) as Record<string, unknown>
  return `${JSON.stringify({ name, version: of.version ?? version, commit: of.commit, type }, null, 2)}\n`
}

/** A slip of the pen must not remove what somebody keeps: a build is known by its entries. */
async function refuseForeign(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown): string[] => {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  })
  if (found.length === 0 || Object.keys(entries).every((name) => found.includes(`${name}.js`))) return
  throw new Error(
    `${folder} holds something else than a build of the program, and a build empties its folder. Remove it yourself, or name another.`,
  )
}

// node scripts/build-program.ts FOLDER [NAME=FILE …]
if (import.meta.main) {
  const [folder = 'dist', ...more] = process.argv.slice(2)
  await buildProgram(resolve(folder), {
    more: Object.fromEntries(more.map((entry) => entry.split('=') as [string, string])),
  })
}
