/**
 * Locates files of the program that are not imported by name. All other modules ask this one, so that a built
 * program (scripts/build-program.ts) replaces only this module.
 */
const root = new URL('../../', import.meta.url)

/**
 * Returns the URL of a file or folder of the program by its path in the repository, such as `package.json` or
 * `console/dist/`. It need not exist.
 */
export const programFile = (path: string): URL => new URL(path, root)

/** Returns the package of the API reference page, from which its script is read. */
export const referencePackage = (): URL => new URL(import.meta.resolve('@scalar/fastify-api-reference'))

/** Returns the URL of a module that a thread loads. */
export const programModule = (name: keyof typeof modules): URL => new URL(modules[name], root)

const modules = {
  units: 'src/messages/units.ts',
  'sqlite-worker': 'src/storage/sqlite/sqlite-worker.ts',
} as const
