import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node'

/** What a lane is asked: these test files, in this order, with these texts in the place of what the files have. */
export interface LaneTask {
  texts: Readonly<Record<string, string>>
  tests: readonly string[]
}

export interface LaneResult {
  files: readonly { file: string; ms: number; isSound: boolean }[]
  /** The first thing that failed; null when nothing did. */
  failed: { file: string; test: string; message: string } | null
}

/**
 * A process that runs test files again and again without starting Vitest anew. It has no projects: every file is run on the embedded database. A change
 * may hang it for ever, so whoever asks ends it with its group (`lanes.ts`).
 */
const root = join(import.meta.dirname, '../..')
const [hitsFolder = ''] = process.argv.slice(2)
const isCovering = hitsFolder !== ''

/** What repeats itself by hundreds: a change that it needs so many of to notice does not count as noticed. */
const smallSizes = {
  ONESIXTY_TEST_SEQUENCES: '150',
  ONESIXTY_TEST_PHONE_SEQUENCES: '20',
  ONESIXTY_TEST_ROUNDS: '10',
  ONESIXTY_TEST_RACES: '200',
}

let texts: Readonly<Record<string, string>> = {}
const changed: Plugin = {
  name: 'changed-texts',
  enforce: 'pre',
  load: (id) => texts[id.split('?')[0] ?? id],
}

/** Of this run: Vitest itself keeps those of every run. */
const ended: TestModule[] = []

class AsGiven {
  shard = (files: TestSpecification[]): TestSpecification[] => files
  sort = (files: TestSpecification[]): TestSpecification[] => files
}

const vitest = await createVitest(
  {
    config: false,
    fsModuleCache: false,
    root,
    watch: false,
    include: ['test/**/*.test.ts'],
    reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
    pool: 'forks',
    execArgv: ['--wasm-wrapper-tiering-budget=2147483647'],
    isolate: false,
    fileParallelism: false,
    bail: isCovering ? 0 : 1,
    restoreMocks: true,
    testTimeout: 30_000,
    hookTimeout: 40_000,
    env: { ONESIXTY_TEST_DATABASE: 'sqlite', ...smallSizes },
    setupFiles: [
      isCovering ? 'scripts/mutants/hits.ts' : 'scripts/mutants/first-example.ts',
      'test/no-leftovers.ts',
      'test/quick-hashes.ts',
    ],
    provide: { hitsFolder, statementsFolder: '' },
    sequence: { sequencer: AsGiven },
  },
  { plugins: [changed] },
)
await vitest.standalone()

process.on('message', (task: LaneTask) => {
  void run(task).then((result) => process.send?.(result))
})
process.send?.('ready')

async function run(task: LaneTask): Promise<LaneResult> {
  for (const file of [...Object.keys(texts), ...Object.keys(task.texts)]) vitest.invalidateFile(file)
  texts = task.texts
  const project = vitest.getRootProject()
  const specifications = task.tests.map((file) => project.createSpecification(join(root, file)))
  ended.splice(0)
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const failed = ended.flatMap(faultsOf)[0] ?? null
  const [error] = unhandledErrors
  return {
    files: ended.map((module) => ({
      file: module.relativeModuleId,
      ms: Math.ceil(module.diagnostic().duration),
      isSound: module.state() !== 'failed',
    })),
    failed:
      failed ??
      (error === undefined
        ? null
        : { file: '', test: '', message: error instanceof Error ? error.message : JSON.stringify(error) }),
  }
}

function faultsOf(module: TestModule): NonNullable<LaneResult['failed']>[] {
  const file = module.relativeModuleId
  const ofTests = [...module.children.allTests('failed')].map((test) => ({
    file,
    test: test.name,
    message: test.result().errors?.[0]?.message ?? '',
  }))
  const ofFile = module.errors().map(({ message }) => ({ file, test: '', message }))
  const isFailed = module.state() === 'failed' && ofTests.length + ofFile.length === 0
  return [...ofTests, ...ofFile, ...(isFailed ? [{ file, test: '', message: 'failed' }] : [])]
}
