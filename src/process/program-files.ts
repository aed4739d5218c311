/**
 * Where the files of the program lie that are not imported by name, so that a built program (scripts/build-program.ts) needs another one of this module
 * alone. Everything else asks here.
 */
const root = new URL('../../', import.meta.url)

/** A file or a folder of the program by its place in the repository, such as `package.json` or `console/dist/`; it need not be there. */
export const programFile = (path: string): URL => new URL(path, root)

/** The package of the reference page, whose script is read out of it. */
export const referencePackage = (): URL => new URL(import.meta.resolve('@scalar/fastify-api-reference'))

/** A module that a thread loads by its address. */
export const programModule = (name: keyof typeof modules): URL => new URL(modules[name], root)

const modules = {
  units: 'src/messages/units.ts',
  'sqlite-worker': 'src/storage/sqlite/sqlite-worker.ts',
} as const
