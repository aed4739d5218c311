import { expect, test } from 'vitest'
import { mailNote } from '../../console/src/profile/mail-note.ts'

test.for([
  ['taken', 'teal', /^Check the inbox of kim@example\.org/],
  ['refused', 'red', /rejected the mail to kim@example\.org/],
  ['unknown', 'yellow', /did not confirm the mail to kim@example\.org/],
] as const)('of a mail with a link that was %s the person is told what to do', ([mail, color, words]) => {
  const note = mailNote({ email: 'kim@example.org', mail })
  expect(note.color).toBe(color)
  expect(note.message).toMatch(words)
})
