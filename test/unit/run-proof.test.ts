import { expect, test } from 'vitest'
import { readReport } from '../../scripts/run-proof.ts'

const passed = { fullName: 'holds', status: 'passed', failureMessages: [] }
const report = (...tests: { fullName: string; status: string; failureMessages: string[] }[]) => ({
  testResults: [{ name: 'a.test.ts', message: '', status: 'passed', assertionResults: tests }],
})

test('a proof holds when its tests passed, and says which were left out', () => {
  expect(readReport(report(passed, passed), 0, '')).toEqual({
    passed: 2,
    failed: 0,
    leftOut: [],
    reasons: [],
  })
  const pending = { fullName: 'needs a tool', status: 'pending', failureMessages: [] }
  expect(readReport(report(passed, pending), 0, '')).toMatchObject({
    failed: 0,
    leftOut: ['needs a tool'],
  })
})

test('of a property that failed it says what makes the same run again, and the shortest case that fails', () => {
  const message = `Error: Property failed after 7 tests
{ seed: -1, path: "6:0", endOnFailure: true }
Counterexample: [send 1,claim 1 /*replayPath="AB:C"*/]
Shrunk 3 time(s)`
  const { failed, reasons } = readReport(
    report(passed, { fullName: 'sums hold', status: 'failed', failureMessages: [message] }),
    1,
    '',
  )
  expect([failed, reasons]).toEqual([
    1,
    [
      'sums hold: Error: Property failed after 7 tests { seed: -1, path: "6:0", endOnFailure: true } Counterexample: [send 1,claim 1 /*replayPath="AB:C"*/]',
    ],
  ])
})

test('an exit code that no test explains, a file that cannot be loaded, and a run without tests are failures', () => {
  expect(readReport(report(passed), 1, 'a worker ended\nand more')).toMatchObject({
    failed: 1,
    reasons: ['a worker ended'],
  })
  const broken = {
    testResults: [{ name: 'a.test.ts', message: 'SyntaxError: no', status: 'failed', assertionResults: [] }],
  }
  expect(readReport(broken, 1, '')).toMatchObject({ failed: 1, reasons: ['SyntaxError: no'] })
  expect(readReport(null, 0, '')).toMatchObject({
    failed: 1,
    reasons: ['Vitest ended with 0 and ran 0 tests'],
  })
})
