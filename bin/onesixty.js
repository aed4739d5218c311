#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0
import { enableCompileCache, getCompileCacheDir } from 'node:module'

// JavaScript, so that the cache of stripped modules is there before the first of them is loaded: what strips types need not be, which
// would stay for ever (10 of 156 MB after the start).
process.umask(0o077)
enableCompileCache()
const cacheFolder = getCompileCacheDir()
// Worker threads take it from the environment.
if (cacheFolder !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cacheFolder

await import('../src/main.ts')
