import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import consoleJson from '../../console/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import renovateJson from '../../renovate.json' with { type: 'json' }

const readText = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

/** What is installed or run here, and at which version: packages of npm, and images. */
const versions = [
  ...Object.entries({
    ...packageJson.dependencies,
    ...packageJson.devDependencies,
    ...consoleJson.devDependencies,
  }),
  ...[
    ...`${readText('Dockerfile')}${readText('compose.yaml')}`.matchAll(/^(?:FROM| +image:) ([a-z]+):(\S+)/gm),
  ].map(([, image = '', tag = '']) => [image, tag] as const),
]

interface Rule {
  matchPackageNames?: string[]
  allowedVersions?: string
  description: string
}
const rules: readonly Rule[] = renovateJson.packageRules

test('each rule of Renovate names what is here, at a version that it allows', () => {
  const named = rules.flatMap(({ matchPackageNames = [], allowedVersions = '/^/' }) =>
    matchPackageNames.map((name) => ({ name, allowed: new RegExp(allowedVersions.slice(1, -1)) })),
  )
  expect(named.length).toBeGreaterThan(10)
  for (const { name, allowed } of named) {
    const here = versions.filter(([each]) => each === name).map(([, version]) => version)
    expect(here, name).not.toEqual([])
    expect(
      here.filter((version) => !allowed.test(version)),
      name,
    ).toEqual([])
  }
})

test('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies } = packageJson
  const all = Object.entries({ ...dependencies, ...devDependencies, ...consoleJson.devDependencies })
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
})
