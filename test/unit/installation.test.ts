import { expect, onTestFinished, test } from 'vitest'
import { findOwnCommand, type Place } from '../../src/process/installation.ts'
import {
  fillOwnCommand,
  ownCommand,
  ownCommandOverNetwork,
  stateOwnCommand,
} from '../../src/process/own-command.ts'

interface Case {
  folder: string
  files?: readonly string[]
  cwd?: string
  isOneFile?: boolean
  argv0?: string
  command?: string
}

const found = ({
  folder,
  files = [],
  cwd = '/home/ada',
  argv0 = 'node',
  isOneFile = false,
  command,
}: Case) => {
  const place: Place = { isOneFile, folder, exists: (path) => files.includes(path) }
  return findOwnCommand({ env: { ONESIXTY_COMMAND: command }, argv0, cwd: () => cwd }, place)
}

const checkout = { folder: '/opt/sms', files: ['/opt/sms/onesixty', '/opt/sms/src/main.ts'] }
const inProject = {
  folder: '/srv/shop/node_modules/onesixty/dist',
  files: ['/srv/shop/node_modules/.bin/onesixty'],
}

test.for<[name: string, given: Case, full: string, withoutFolder: string]>([
  ['a checkout, in its folder', { ...checkout, cwd: '/opt/sms' }, './onesixty', './onesixty'],
  ['a checkout, from another folder', checkout, '/opt/sms/onesixty', './onesixty'],
  ['a checkout whose path has blanks and a quote', { folder: "/opt/Ada's sms", files: ["/opt/Ada's sms/onesixty", "/opt/Ada's sms/src/main.ts"] }, String.raw`'/opt/Ada'\''s sms/onesixty'`, './onesixty'],
  ['a build in the checkout that made it', { ...checkout, folder: '/opt/sms/dist', cwd: '/opt/sms' }, './onesixty', './onesixty'],
  ['npm, global', { folder: '/usr/lib/node_modules/onesixty/dist' }, 'onesixty', 'onesixty'],
  ['npm, in a project', { ...inProject, cwd: '/srv/shop' }, 'npm exec --no -- onesixty', 'npm exec --no -- onesixty'],
  ['npm, in a folder of a project', { ...inProject, cwd: '/srv/shop/data' }, 'npm exec --no -- onesixty', 'npm exec --no -- onesixty'],
  ['npm, from outside of the project', inProject, 'npm exec --no --prefix /srv/shop -- onesixty', 'npm exec --no -- onesixty'],
  ['a build alone, as in an image', { folder: '/app/dist' }, 'onesixty', 'onesixty'],
  ['a build in a cache of packages', { folder: '/app/node_modules/.cache/onesixty/program', files: ['/app/node_modules/.bin/onesixty'] }, 'onesixty', 'onesixty'],
  ['one file, in the working folder', { folder: '/nowhere', isOneFile: true, argv0: './sms', cwd: '/srv' }, './sms', './sms'],
  ['one file, elsewhere', { folder: '/nowhere', isOneFile: true, argv0: '../opt/sms', cwd: '/srv' }, '/opt/sms', './sms'],
  ['one file, found through PATH', { folder: '/nowhere', isOneFile: true, argv0: 'sms' }, 'sms', 'sms'],
  ['what a package or an image says', { ...checkout, command: 'docker exec sms onesixty' }, 'docker exec sms onesixty', 'docker exec sms onesixty'],
])('commands are printed as they are typed there: %s', ([, given, full, withoutFolder]) => {
  expect(found(given)).toEqual({ full, withoutFolder })
}) // prettier-ignore

test('no word makes a package manager fetch a package', () => {
  for (const given of [checkout, inProject, { folder: '/usr/lib/node_modules/onesixty/dist' }]) {
    const { full, withoutFolder } = found(given)
    for (const word of [full, withoutFolder]) {
      expect(word).not.toMatch(/\bnpx\b|\bdlx\b|\bbunx\b/)
      if (word.startsWith('npm')) expect(word).toMatch(/^npm exec --no /)
    }
  }
})

test('the checkout that runs these tests is one', () => {
  const here = findOwnCommand({ env: {}, argv0: 'node', cwd: () => '/' })
  expect(here).toEqual({ full: expect.stringMatching(/\/onesixty'?$/), withoutFolder: './onesixty' })
})

test('what was stated stands in every text, the folder only in those for this machine', () => {
  onTestFinished(() => stateOwnCommand({ full: 'onesixty', withoutFolder: 'onesixty' }))
  stateOwnCommand({ full: '/opt/sms/onesixty', withoutFolder: './onesixty' })
  expect([ownCommand(), ownCommandOverNetwork()]).toEqual(['/opt/sms/onesixty', './onesixty'])
  expect(fillOwnCommand('Run {onesixty} doctor, then {onesixty} serve.', './onesixty')).toBe(
    'Run ./onesixty doctor, then ./onesixty serve.',
  )
})
