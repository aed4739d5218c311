#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0 --
// The two dashes end the options of Node.js, which would read `send --env-file` as its own. This file runs on any Node.js without packages.
const minVersion = [24, 8]
const mustBeFixed = 78

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1]))
  exitWith(
    `Node.js ${process.versions.node} is too old: onesixty needs ${minVersion.join('.')} or later. npm ci installs it: run ./onesixty or npm start, or put node_modules/.bin first in PATH.`,
  )
process.umask(0o077)
// V8 compiles a wrapper again for each import of WebAssembly that is called a thousand times, and can end the process when it frees the former
// one: "Check failed: jit_page.has_value()" (nodejs/node#64500 is of its kind). What strips types is WebAssembly; it needs no such wrappers.
// The flag is one of V8's own, which comes and goes with it: set where it is known, and known to help.
if (major === 24) {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--wasm-wrapper-tiering-budget=2147483647')
}
try {
  await import('../src/main.ts')
} catch (error) {
  const missing =
    error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message)
  if (!missing) throw error
  exitWith(`The package ${missing[1]} is not installed. Run npm ci in the folder of onesixty first.`)
}

function exitWith(sentence) {
  process.stderr.write(`onesixty: ${sentence}\n`)
  process.exit(mustBeFixed)
}
