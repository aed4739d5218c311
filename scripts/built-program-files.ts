/**
 * What stands in the place of `src/process/program-files.ts` in a built program: the same, by the places that `scripts/build-program.ts` gives to the files.
 * All modules of a build lie in one folder, this one too, whatever it is part of.
 */
const root = new URL('./', import.meta.url)

export const programFile = (path: string): URL => new URL(path, root)

export const referencePackage = (): URL => programFile('reference-package.js')

export const programModule = (name: string): URL => new URL(`${name}.js`, root)
