import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { testFiles } from './test-files.ts'

/** What takes longest in its project on two cores, by `npm test`, which names the ten slowest. */
const longest = [
  'test/smpp/link-faults.test.ts',
  'test/phones/visits.test.ts',
  'test/phones/conformance.test.ts',
  'test/phones/phone-life.test.ts',
  'test/webhooks/hostile-receivers.test.ts',
  'test/smpp/link-changes.test.ts',
  'test/cli/restore-decisions.test.ts',
  'test/cli/first-run.test.ts',
  'test/phones/guided-connect.test.ts',
  'test/messages/stop-race.test.ts',
  'test/console/access.test.ts',
  'test/log-canary.test.ts',
  'test/phones/phones-model.test.ts',
  'test/messages/model.test.ts',
  'test/move/move.test.ts',
  'test/move/kill.test.ts',
  'test/cli/restore-holds.test.ts',
  'test/console/export-slots.test.ts',
  'test/history/updates.test.ts',
  'test/history/paged-changes.test.ts',
  'test/phones/visits-never-twice.test.ts',
  'test/messages/erase-account.test.ts',
  'test/messages/long-inbound.test.ts',
  'test/postgres/numbers-again.test.ts',
  'test/release/package.test.ts',
  // Two that have a browser and one that has none at any time: whatever frees a worker finds its like next.
  'test/e2e/devices.test.ts',
  'test/e2e/operator.test.ts',
  'test/crash/postgres/four-nodes.test.ts',
  'test/e2e/connect-guide.test.ts',
  'test/crash/postgres/postgres-killed.test.ts',
  'test/e2e/webhooks.test.ts',
  'test/e2e/conversations.test.ts',
  'test/crash/put-back.test.ts',
  'test/e2e/ten-minutes.test.ts',
  'test/crash/webhooks.test.ts',
  'test/e2e/keyboard.test.ts',
  'test/crash/postgres/races.test.ts',
  'test/e2e/overview.test.ts',
  'test/crash/postgres/put-back.test.ts',
  'test/e2e/identity-pages.test.ts',
  'test/crash/restore.test.ts',
  'test/e2e/history-at-scale.test.ts',
  'test/e2e/own-devices.test.ts',
  'test/e2e/outage.test.ts',
  'test/e2e/guides.test.ts',
  'test/crash/clock-jumps.test.ts',
  'test/crash/crash-points.test.ts',
  'test/crash/drain.test.ts',
  'test/crash/schedule.test.ts',
  'test/crash/fifty-phones.test.ts',
  'test/crash/kill-9.test.ts',
  'test/crash/smpp-crash-points.test.ts',
]

/** Begins the longest files of a project first, so that no worker ends long after the others; by their size, as Vitest does, what takes less. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = longest.filter((file) => !testFiles.includes(file))
    if (gone.length > 0) throw new Error(`No test file is called ${gone.join(', ')} any more.`)
    const placeOf = ({ project, moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(project.config.root, moduleId))
      return place < 0 ? longest.length : place
    }
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
    // One after another, but for those that run beside one another.
    const kindOf = ({ project: { name } }: TestSpecification): string =>
      name === 'crash-postgres' || name === 'crash-beside' ? 'e2e' : name
    // oxlint-disable-next-line unicorn/no-array-sort -- what is sorted is no array but the sequencer's own
    const bySize = await super.sort(files)
    return bySize.toSorted(
      (a, b) => groupOf(a) - groupOf(b) || compare(kindOf(a), kindOf(b)) || placeOf(a) - placeOf(b),
    )
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
