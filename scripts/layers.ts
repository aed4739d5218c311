import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'

const repository = fileURLToPath(new URL('..', import.meta.url))

interface DependencyRules extends IFlattenedRuleSet {
  options: ICruiseOptions
}

const rulesFile = new URL('../.dependency-cruiser.config.mjs', import.meta.url).href

/** The rows of the house, top first: each maps the names of its layers to the paths of their modules. */
export async function readLayers(): Promise<readonly Readonly<Record<string, string>>[]> {
  const { layers } = (await import(rulesFile)) as { layers: Record<string, string>[] }
  return layers
}

/**
 * Every module under `src/` of the repository in `root` with its imports, and where they break the dependency rule. Throws
 * when fewer modules were seen than there are files: a blind check would pass everything.
 */
export async function cruiseSource(root = repository): Promise<ICruiseResult> {
  const { default: rules } = (await import(rulesFile)) as { default: DependencyRules }
  const { options, ...ruleSet } = rules
  const { output } = await cruise(['src'], { ...options, ruleSet, validate: true, baseDir: root })
  const result = output as ICruiseResult
  const files = globSync('src/**/*.ts', { cwd: root })
  const seen = new Set(result.modules.map((module) => module.source))
  const missed = files.filter((file) => !seen.has(file))
  if (files.length === 0 || missed.length > 0) {
    throw new Error(
      `dependency-cruiser saw ${seen.size} modules and missed ${missed.join(', ') || 'all of them'}.`,
    )
  }
  return result
}

async function main(): Promise<void> {
  const { summary } = await cruiseSource()
  for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
  console.log(`${summary.totalCruised} modules, ${summary.totalDependenciesCruised} imports`)
  if (summary.violations.length > 0) process.exitCode = 1
}

if (import.meta.main) await main()
