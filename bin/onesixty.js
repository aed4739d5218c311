#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0 --
// The two dashes end what Node.js reads: it would take `send --env-file` for its own. What stands here runs on any Node.js, and needs no package.
const oldest = 24
const mustBeFixed = 78

if (Number.parseInt(process.versions.node) < oldest)
  give(
    `This is Node.js ${process.versions.node}, and onesixty needs ${oldest} or newer. npm ci brings it: run npx onesixty or npm start, or put node_modules/.bin in front of PATH.`,
  )
const { prepare } = await import('./prepare.js')
prepare()
try {
  await import('../src/main.ts')
} catch (error) {
  const missing =
    error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message)
  if (!missing) throw error
  give(`The package ${missing[1]} is not installed. Run npm ci in the folder of onesixty first.`)
}

function give(sentence) {
  process.stderr.write(`onesixty: ${sentence}\n`)
  process.exit(mustBeFixed)
}
