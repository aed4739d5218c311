import { expect, test } from 'vitest'
import { type Check, type CheckMachine, runChecks } from '../../scripts/release/check/run-checks.ts'

const fine: Check<null> = { name: 'fine', needs: [], run: async () => 'all seen' }
const broken: Check<null> = { name: 'broken', needs: [], run: () => Promise.reject(new Error('lost one')) }
const helm = { name: 'helm', install: 'go install helm' }
const needing: Check<null> = { name: 'needing', needs: [helm], isRoot: true, run: async () => 'never run' }

/** Runs checks on a machine that has no tool and, unless said otherwise, no root. */
async function run(
  checks: readonly Check<null>[],
  without: readonly string[] = [],
  { isRoot = false, wanted = [] }: { isRoot?: boolean; wanted?: readonly string[] } = {},
): Promise<{ holds: boolean; said: string }> {
  const lines: string[] = []
  const machine: CheckMachine<null> = {
    isRoot,
    has: async () => false,
    say: (line) => void lines.push(line),
    run: (check, on) => check.run(on),
  }
  const holds = await runChecks(checks, { on: null, without, with: wanted, machine })
  return { holds, said: lines.map((line) => line.replace(/ +\d+\.\d s  /, ': ')).join('\n') }
}

test('what was not checked does not hold: a tool that is missing is named, with how it is installed', async () => {
  expect(await run([fine, needing])).toEqual({
    holds: false,
    said: '✓ fine: all seen\n? needing: not checked: needs root; helm is not installed: go install helm',
  })
  expect((await run([needing], [], { isRoot: true })).said).not.toContain('root')
})

test('a check that fails says why, and the others run', async () => {
  expect(await run([broken, fine])).toEqual({ holds: false, said: '✗ broken: lost one\n✓ fine: all seen' })
})

test('a check is left out by name alone', async () => {
  expect(await run([needing, fine], ['needing'])).toEqual({
    holds: true,
    said: '- needing: left out\n✓ fine: all seen',
  })
})

test('an optional check runs where it is asked for', async () => {
  const optional: Check<null> = { ...fine, name: 'long', isOptional: true }
  expect(await run([optional])).toEqual({ holds: true, said: '- long: left out: --with long runs it' })
  expect((await run([optional], [], { wanted: ['long'] })).said).toBe('✓ long: all seen')
})
