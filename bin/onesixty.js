#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=0
import { prepare } from './prepare.js'

prepare()
await import('../src/main.ts')
