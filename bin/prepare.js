import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/**
 * What comes before the first module of the program is loaded. JavaScript, so that the cache of stripped modules is there by then: what strips types
 * need not be, which would stay for ever (10 of 156 MB after the start).
 */
export function prepare() {
  process.umask(0o077)
  // V8 compiles a wrapper anew for each import of WebAssembly that is called a thousand times, and can end the process when it frees the former
  // one: "Check failed: jit_page.has_value()" (nodejs/node#64500 is of its kind). What strips types is WebAssembly; it needs no such wrappers.
  // The flag is one of V8's own, which comes and goes with it: set where it was seen to be known, and to help.
  if (process.versions.node.startsWith('24.')) setFlagsFromString('--wasm-wrapper-tiering-budget=2147483647')
  // The nursery of this thread has its size by now, and src/storage/sqlite/sqlite-thread.ts takes the flag back before other threads start. Here already:
  // what is kept is kept by flags, and the threads shall find what this one has kept.
  setFlagsFromString('--max-semi-space-size=0')
  const isToldWhere = process.env['NODE_COMPILE_CACHE'] !== undefined
  const kept = isToldWhere ? undefined : folderOfModules()
  // Node.js keeps them already where it was told to, those of this thread apart from those of the others: nothing is gained by starting over.
  if (isToldWhere) process.env['STARTED_OVER'] = '1'
  if (kept !== undefined) {
    enableCompileCache(kept)
    // Worker threads take it from the environment.
    process.env['NODE_COMPILE_CACHE'] = kept
  }
}

/**
 * Where modules are kept once they were stripped: in a cache of the user's own, by systemd or by the XDG Base Directory Specification. What lies there
 * is run as the program, and Node.js believes whatever it finds: in its own folder for this, in that for temporary files, another user may have put
 * it. Undefined where there is no such folder, or where another user may change what lies there: then each start strips what it needs.
 */
function folderOfModules() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME = '' } = process.env
  try {
    const cachesOfUser = () => (isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache'))
    const folder = join(CACHE_DIRECTORY || join(cachesOfUser(), 'onesixty'), 'modules')
    if (!isAbsolute(folder)) return undefined
    // What is looked at is what is made in and used, whatever links led there: others might turn one. And it is looked at before anything is made:
    // root makes nothing in the home of somebody else.
    const existing = existingPartOf(folder)
    const safe = realpathSync(existing)
    if (!isSafe(safe)) return undefined
    const made = join(safe, relative(existing, folder))
    mkdirSync(made, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(made)
    const isOwnAlone = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOwnAlone && realpathSync(made) === made && isSafe(made) ? made : undefined
  } catch {
    return undefined
  }
}

/**
 * The path itself, or the nearest above it that is there. On Windows a whole drive may be away: its root is given then.
 *
 * @param {string} path
 * @returns {string}
 */
function existingPartOf(path) {
  return existsSync(path) || dirname(path) === path ? path : existingPartOf(dirname(path))
}

/**
 * Whether nobody but root and this user can put another folder in the place of this one: in none above it may others write, but in one like that for
 * temporary files, where each may move what is his own alone.
 *
 * @param {string} path Without links in it.
 * @returns {boolean}
 */
function isSafe(path) {
  if (process.getuid === undefined) return true
  const { uid, mode } = statSync(path)
  const isOurs = uid === 0 || uid === process.getuid()
  const isClosed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0
  return isOurs && isClosed && (dirname(path) === path || isSafe(dirname(path)))
}
