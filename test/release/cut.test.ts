import { expect, test } from 'vitest'
import { cutChangelog } from '../../scripts/release/cut.ts'

const head = '# Changelog\n\nWords.\n\n'
const of = { version: '0.2.0', day: '2026-11-27' }

test('unreleased changes get a version and a day, and those of earlier versions stay', () => {
  const earlier = '\n## [0.1.0] - 2026-10-01\n\n- First.\n'
  const changes = '\n### Added\n\n- A thing.\n'
  const cut = cutChangelog(`${head}## [Unreleased]\n${changes}${earlier}`, of)
  expect(cut).toBe(`${head}## [Unreleased]\n\n## [0.2.0] - 2026-11-27\n${changes}${earlier}`)
  expect(() => cutChangelog(cut, { ...of, version: '0.3.0' })).toThrow('nothing to release')
})

test.for([
  ['\n## [0.1.0] - 2026-10-01\n\n- First.\n', 'nothing to release'],
  ['\n### Added\n', 'nothing to release'],
  ['\n- A thing.\n\n## [0.2.0] - 2026-10-01\n\n- First.\n', 'has 0.2.0 already'],
] as const)('a changelog without changes, or with the version, is not cut: %j', ([rest, words]) => {
  expect(() => cutChangelog(`${head}## [Unreleased]\n${rest}`, of)).toThrow(words)
})
