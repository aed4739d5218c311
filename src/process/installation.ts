import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isSea } from 'node:sea'
import type { OwnCommand } from './own-command.ts'
import { programFolder } from './program-files.ts'

/** The members of `process` that tell how it was started. */
export interface StartedProcess {
  env: Readonly<Record<string, string | undefined>>
  /** The path that it was started by, before Node.js resolves it. */
  argv0: string
  cwd(): string
}

/** Where a program lies. */
export interface Place {
  /** One file with Node.js in it. */
  isOneFile: boolean
  /** Folder of what `program-files.ts` locates: of the checkout, or of a build. */
  folder: string
  exists: (path: string) => boolean
}

const herePlace = (): Place => ({
  isOneFile: isSea(),
  folder: programFolder(),
  exists: existsSync,
})

/**
 * Returns what a person types in front of a command of this installation. `ONESIXTY_COMMAND` goes before all: a package or an image sets it, whose
 * commands run as another user or in a container. No form makes a package manager fetch what is not installed: `onesixty` on the public registry
 * need not be this program.
 */
export function findOwnCommand(host: StartedProcess, place: Place = herePlace()): OwnCommand {
  const given = host.env['ONESIXTY_COMMAND']
  if (given !== undefined && given !== '') return { full: given, withoutFolder: given }
  if (place.isOneFile) return commandAt(resolveStarted(host), host)
  const checkout = [place.folder, dirname(place.folder)].find(isCheckout(place))
  if (checkout !== undefined) return commandAt(join(checkout, 'onesixty'), host)
  const project = projectOf(place)
  if (project === null) return { full: 'onesixty', withoutFolder: 'onesixty' }
  const withoutFolder = 'npm exec --no -- onesixty'
  const isInside = !relative(project, host.cwd()).startsWith('..')
  return {
    full: isInside ? withoutFolder : `npm exec --no --prefix ${quoted(project)} -- onesixty`,
    withoutFolder,
  }
}

/** The launcher of a checkout is next to its source; a build has no source, but may lie in the checkout that made it. */
const isCheckout =
  ({ exists }: Place) =>
  (folder: string): boolean =>
    exists(join(folder, 'onesixty')) && exists(join(folder, 'src', 'main.ts'))

/**
 * Returns the folder of the project that the package is a dependency of; null for the folder of globally installed packages. npm links commands of a
 * project below its `node_modules`, and those of global packages next to Node.js.
 */
function projectOf({ folder, exists }: Place): string | null {
  const packages = dirname(dirname(folder))
  return basename(packages) === 'node_modules' && exists(join(packages, '.bin', 'onesixty'))
    ? dirname(packages)
    : null
}

/** A name without a folder was found through PATH, and is found that way again. */
const resolveStarted = ({ argv0, cwd }: StartedProcess): string =>
  argv0.includes(sep) ? resolve(cwd(), argv0) : argv0

/** A program in the working folder is called by its name there, any other by its whole path. */
function commandAt(file: string, { cwd }: StartedProcess): OwnCommand {
  if (!file.includes(sep)) return { full: file, withoutFolder: file }
  const withoutFolder = `.${sep}${quoted(basename(file))}`
  return { full: dirname(file) === resolve(cwd()) ? withoutFolder : quoted(file), withoutFolder }
}

/** Quotes a path for a shell where it needs that. */
const quoted = (path: string): string =>
  /^[\w./\\:@%+=-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
