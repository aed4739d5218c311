'use strict'
/*
 * What the executable runs first, and each of its threads: Node.js 24 accepts only CommonJS there. It has modules of the program loaded from the
 * executable, where they are assets, and imports the first one. Nothing is written to disk: what could be changed there would be run as the program.
 * `registerHooks` is a release candidate and the constant of the loader experimental; the Node.js in the executable is always the same.
 */
const { registerHooks } = require('node:module')
const { getAsset } = require('node:sea')
const { constants, Script } = require('node:vm')

const scheme = 'program:///'
const isOurs = (url) => url !== undefined && url.startsWith(scheme)

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (isOurs(specifier)) return { url: specifier, format: 'module', shortCircuit: true }
    if (specifier.startsWith('.') && isOurs(context.parentURL))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
    return nextResolve(specifier, context)
  },
  load(url, context, nextLoad) {
    if (!isOurs(url)) return nextLoad(url, context)
    return { format: 'module', source: getAsset(url.slice(scheme.length), 'utf8'), shortCircuit: true }
  },
})

// A thread has the name of its module in front of this text (program-files.ts).
const isThread = typeof threadModule !== 'undefined'
if (!isThread) process.umask(0o077)
// The first process of a container is not ended by a signal that it does not listen for: it does so until the server does.
if (!isThread && process.pid === 1)
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const early = () => process.exit(0)
    process.on(signal, early)
    const leave = (name, listener) => {
      if (name !== signal || listener === early) return
      process.off('newListener', leave)
      // Once the other listens: Node.js stops listening for a signal when its last listener goes, and has then decided that it listens already.
      queueMicrotask(() => process.off(signal, early))
    }
    process.on('newListener', leave)
  }
const entry = isThread ? threadModule : 'main'
new Script(`import('${scheme}${entry}.js')`, {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext()
