#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0 --
// The two dashes end the options of Node.js, which would read `send --env-file` as its own. This file runs on any Node.js without packages.
const minVersion = 24
const mustBeFixed = 78

if (Number.parseInt(process.versions.node) < minVersion)
  exitWith(
    `Node.js ${process.versions.node} is too old: onesixty needs ${minVersion} or later. npm ci installs it: run npx onesixty or npm start, or put node_modules/.bin first in PATH.`,
  )
const { prepare } = await import('./prepare.js')
prepare()
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
