import type { Fault } from '../../runtime/errors.ts'

/**
 * NIST SP 800-63B-4 section 3.1.1.2 requires 15 without a second factor and 8 with one, and no rules about
 * kinds of characters.
 */
const shortestPassword = 12
/** Longer passwords are not safer, and hashing takes time. */
const longestPassword = 128

/**
 * Returns the faults of a new password: too short or too long, a common password, a row of keys, a
 * repetition, or the user's own name or address.
 */
export function passwordFaults(password: string, person: { email: string; name?: string }): Fault[] {
  const fault = (code: Fault['code'], detail: string): Fault[] => [{ pointer: '/password', code, detail }]
  const length = [...password].length
  if (!password.isWellFormed()) return fault('invalid_unicode', 'The password is not well-formed Unicode.')
  if (length < shortestPassword)
    return fault(
      'too_short',
      `The password must have at least ${shortestPassword} characters; it has ${length}.`,
    )
  if (length > longestPassword)
    return fault('too_long', `The password must have at most ${longestPassword} characters.`)
  return isEasy(password, person)
    ? fault('not_in_enum', 'This password is too common. Choose another one, such as a few unrelated words.')
    : []
}

/**
 * Returns whether a password follows from public knowledge. Digits and signs around it do not make it better.
 */
function isEasy(password: string, { email, name = '' }: { email: string; name?: string }): boolean {
  const plain = password.toLowerCase()
  const bare = plain
    .replaceAll('@', 'a')
    .replaceAll('$', 's')
    .replace(/[^\p{L}\p{N}]/gu, '')
  const core = unleet(bare.replace(/^\d+|\d+$/g, ''))
  const known = new Set([...commonWords, ...ownWords(email, name)])
  return (
    new Set(plain).size < minDifferent ||
    isRepetition(bare) ||
    isWalk(bare) ||
    (/^\d+$/.test(bare) && bare.length < minDigits) ||
    (core !== '' && (isRepetition(core) || isWalk(core) || isMadeOf(core, known)))
  )
}

/** `aaaabbbbcccc` has 12 characters but is no stronger than three. */
const minDifferent = 5

/** Fewer digits without letters are a date, a phone number or a card number. */
const minDigits = 17

const lookAlikes: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }
const unleet = (text: string): string => text.replace(/[013457]/g, (digit) => lookAlikes[digit] ?? digit)

/** A repeated sequence: `abcabcabcabc`. */
const isRepetition = (text: string): boolean => /^(.{1,6})\1+$/u.test(text)

const rows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm', 'abcdefghijklmnopqrstuvwxyz'] // prettier-ignore
const columns = [
  '1qaz',
  '2wsx',
  '3edc',
  '4rfv',
  '5tgb',
  '6yhn',
  '7ujm',
  '8ik',
  '9ol',
  '0p',
  '1q',
  '2w',
  '3e',
  '4r',
  '5t',
  '6y',
]
const walks = [...rows, ...columns].flatMap((row) => [row, [...row].toReversed().join('')])

/** Returns whether a text consists only of steps along the keyboard or the alphabet. */
function isWalk(text: string): boolean {
  if (text === '') return false
  let rest = text
  while (rest !== '') {
    const here = rest
    const step = Math.max(...walks.map((walk) => sharedLength(walk, here)))
    if (step < 2) return false
    rest = rest.slice(step)
  }
  return true
}

/** Returns how many characters at the beginning of `text` are in `row`, one key after the other. */
function sharedLength(row: string, text: string): number {
  const at = row.indexOf(text.charAt(0))
  if (at === -1) return 0
  let length = 1
  while (length < text.length && row.charAt(at + length) === text.charAt(length)) length += 1
  return length
}

/** Returns whether a text is a chain of known words. */
function isMadeOf(text: string, words: ReadonlySet<string>): boolean {
  const reached = new Set([0])
  for (let start = 0; start < text.length; start++) {
    if (!reached.has(start)) continue
    for (const word of words) if (text.startsWith(word, start)) reached.add(start + word.length)
  }
  return reached.has(text.length)
}

const ownWords = (email: string, name: string): string[] =>
  [...email.toLowerCase().split(/[^\p{L}\p{N}]+/u), ...name.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length > 2,
  )

/**
 * The most common choices of users who must enter twelve characters, without the digits and signs that they
 * add.
 */
const commonWords =
  `password passwort passwd pass word motdepasse contrasena contrasenya senha parola haslo wachtwoord losenord
  qwerty qwertz azerty letmein welcome willkommen bienvenue bienvenido admin administrator root user login guest test testing
  demo default changeme changeit secret secure security master manager service system server computer internet access account
  iloveyou loveyou loveme iloveu love baby babygirl princess prince angel sunshine flower butterfly monkey dragon shadow superman
  batman spiderman pokemon naruto starwars football baseball basketball soccer hockey liverpool chelsea arsenal barcelona juventus
  realmadrid manchester united jordan michael jessica ashley daniel charlie thomas andrew matthew joshua robert nicole hannah
  summer winter spring autumn monday friday january december november october september august july june april march february
  freedom whatever trustno trustnoone mustang ferrari porsche mercedes hello helloworld world google facebook samsung apple
  iphone android microsoft windows linux onesixty sms message messages phone telephone unbelievable nothing something anything
  everything forever together friends family mother father sister brother jesus christ jesuschrist bless blessed god heaven
  money dollar chocolate cookie banana orange purple yellow cheese coffee pepper ginger tigger killer hunter ranger player gamer
  minecraft fortnite correcthorsebatterystaple thequickbrownfox nopassword mypassword yourpassword newpassword thepassword my your new the i am is a`.split(
    /\s+/,
  )
