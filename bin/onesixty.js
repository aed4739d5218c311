#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// JavaScript, so that the cache of stripped modules is there before the first of them is loaded: what strips types need not be, which
// would stay for ever (10 of 156 MB after the start).
process.umask(0o077)
// V8 compiles a wrapper anew for each import of WebAssembly that is called a thousand times, and can end the process when it frees the former
// one: "Check failed: jit_page.has_value()" (nodejs/node#64500 is of its kind). What strips types is WebAssembly; it needs no such wrappers.
// The flag is one of V8's own, which comes and goes with it: set where it was seen to be known, and to help.
if (process.versions.node.startsWith('24.')) setFlagsFromString('--wasm-wrapper-tiering-budget=2147483647')
// The nursery of this thread has its size by now, and src/storage/sqlite-thread.ts takes the flag back before other threads start. Here already:
// what is kept is kept by flags, and the threads shall find what this one has kept.
setFlagsFromString('--max-semi-space-size=0')
enableCompileCache()
const kept = getCompileCacheDir()
// Worker threads take it from the environment, and add the folder of version and flags themselves.
if (kept !== undefined) process.env['NODE_COMPILE_CACHE'] ??= dirname(kept)

await import('../src/main.ts')
