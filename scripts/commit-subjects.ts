import { spawnSync } from 'node:child_process'

/** As `git log --oneline` shows them on a narrow terminal. */
const maxLength = 72
/** A branch of a day; what is older was checked before. */
const checked = 100

/** Checks the subjects of the latest commits: at most 72 characters, and no full stop. Outside of a repository there is nothing to check. */
function main(): void {
  const log = spawnSync('git', ['log', '--no-merges', `--max-count=${checked}`, '--format=%h %s'], {
    encoding: 'utf8',
  })
  if (log.status !== 0) return console.log('no git repository: the subjects of commits were not checked')
  const subjects = log.stdout.trimEnd().split('\n')
  const faulty = subjects.filter((line) => {
    const subject = line.slice(line.indexOf(' ') + 1)
    return subject.length > maxLength || subject.endsWith('.')
  })
  for (const line of faulty)
    console.error(
      `${line}\n  A subject has at most ${maxLength} characters and no full stop; the why is in the body.`,
    )
  console.log(`${subjects.length} subjects of commits`)
  process.exitCode = faulty.length === 0 ? 0 : 1
}

main()
