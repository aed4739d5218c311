#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0 --
// bin/onesixty.js of the npm package. The two dashes end the options of Node.js, which would read `send --env-file` as its own.
// The check of the version is in syntax that Node.js 12 reads, and nothing is imported before it.
var found = process.versions.node.split('.').map(Number)
if (found[0] < 24 || (found[0] === 24 && found[1] < 8)) {
  process.stderr.write(
    'onesixty: onesixty needs Node.js 24.8 or newer; this is ' + process.versions.node + '.\n',
  )
  process.exit(78)
}
process.umask(0o077)
// Until 24.21, Node.js warns that its SQLite is experimental. Threads read the variable, this one has passed that point.
if (found[0] === 24 && found[1] < 21) {
  var emitWarning = process.emitWarning
  process.emitWarning = function (warning, type) {
    if (type !== 'ExperimentalWarning') emitWarning.apply(process, arguments)
  }
  process.env.NODE_NO_WARNINGS = '1'
}
void import('../dist/main.js')
