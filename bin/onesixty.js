#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { setFlagsFromString } from 'node:v8'

// JavaScript, so that the cache of stripped modules is there before the first of them is loaded: what strips types need not be, which
// would stay for ever (10 of 156 MB after the start).
process.umask(0o077)
// V8 compiles a wrapper anew for each import of WebAssembly that is called a thousand times, and can end the process when it frees the former
// one: "Check failed: jit_page.has_value()" (nodejs/node#64500 is of its kind). What strips types is WebAssembly; it needs no such wrappers.
// The flag is one of V8's own, which comes and goes with it: set where it was seen to be known, and to help.
if (process.versions.node.startsWith('24.')) setFlagsFromString('--wasm-wrapper-tiering-budget=2147483647')
enableCompileCache()
const cacheFolder = getCompileCacheDir()
// Worker threads take it from the environment.
if (cacheFolder !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cacheFolder

await import('../src/main.ts')
