import { expect, test } from 'vitest'
import { type Command, command } from '../../src/cli/core/command.ts'
import { UsageError } from '../../src/cli/core/command-errors.ts'
import { helpOfCommand } from '../../src/cli/core/help.ts'
import { parseOptions } from '../../src/cli/core/parse-options.ts'

const sample: Command = command({
  summary: 'Tries everything.',
  arguments: [{ name: 'file', summary: 'Where it goes.' }],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'A name.', required: true },
    sms: { type: 'number', summary: 'A number.' },
    mode: { type: 'text', value: 'MODE', summary: 'A mode.', choices: ['live', 'test'] },
    to: { type: 'text', value: 'NUMBER', summary: 'Some.', repeatable: true },
    shared: { type: 'flag', summary: 'A flag.' },
    probe: {
      type: 'text',
      value: 'WHAT',
      summary: 'A choice.',
      choices: ['likely', 'all'],
      implied: 'likely',
    },
  },
  run: async () => ({ json: null, text: '' }),
})
const parse = (...argv: string[]) => parseOptions(sample, argv)

test('reads texts, numbers, flags and what may be repeated', () => {
  expect(
    parse('file.db', '--name', 'Ada', '--sms=-5', '--to', 'a', '--shared', '--to=b', '--mode', 'test'),
  ).toEqual({
    options: { name: 'Ada', sms: -5, mode: 'test', to: ['a', 'b'], shared: true, probe: undefined },
    arguments: ['file.db'],
    json: false,
    help: false,
  })
})

test('what is left out is undefined, a false flag, or an empty list', () => {
  expect(parse('--json', '--name', 'Ada', 'file.db')).toEqual({
    options: { name: 'Ada', sms: undefined, mode: undefined, to: [], shared: false, probe: undefined },
    arguments: ['file.db'],
    json: true,
    help: false,
  })
})

test('a negative number and a value that looks like an option can be given', () => {
  expect(parse('f', '--name=--json', '--sms', '-12').options).toMatchObject({ name: '--json', sms: -12 })
})

test('an option with an implied value takes another one only behind an equals sign', () => {
  const probeOf = (...argv: string[]) => parse('--name', 'Ada', ...argv).options['probe']
  expect(probeOf('--probe', 'f')).toBe('likely')
  expect(probeOf('f', '--probe', '--json')).toBe('likely')
  expect(probeOf('f', '--probe=all')).toBe('all')
  expect(() => probeOf('f', '--probe=some')).toThrow('--probe must be one of likely, all, not')
  expect(helpOfCommand('onesixty try', sample)).toContain('--probe[=WHAT]')
})

test('what stands behind -- are words', () => {
  expect(parse('--name', 'Ada', '--', '--sms').arguments).toEqual(['--sms'])
})

test.each([
  [['f', '--nmae', 'Ada'], 'Unknown option --nmae. Did you mean --name?'],
  [['f', '-x', '--name', 'Ada'], 'Unknown option -x.'],
  [['f', '--constructor', '--name', 'Ada'], 'Unknown option --constructor.'],
  [['f'], 'Missing option --name NAME.'],
  [['f', '--name'], '--name needs a value: --name NAME.'],
  [
    ['f', '--name', '--json'],
    '--name needs a value, but is followed by --json. If that is the value, write --name=--json.',
  ],
  [['f', '--name', 'A', '--name', 'B'], '--name was given twice.'],
  [['f', '--name', 'A', '--name', 'B', '--name', 'C'], '--name was given 3 times.'],
  [['f', '--name', 'A', '--sms', '1.5'], "--sms must be a whole number, not '1.5'."],
  [['f', '--name', 'A', '--sms', ''], "--sms must be a whole number, not ''."],
  [
    ['f', '--name', 'A', '--sms', '99999999999999999999'],
    "--sms must be a whole number, not '99999999999999999999'.",
  ],
  [['f', '--name', 'A', '--mode', 'lvie'], "--mode must be one of live, test, not 'lvie'."],
  [['f', '--name', 'A', '--shared=yes'], '--shared does not accept a value.'],
  [['--name', 'A'], 'Missing argument <file>: Where it goes.'],
  [['f', 'g', '--name', 'A'], "Unexpected argument 'g'."],
])('refuses %j and says why', (argv, sentence) => {
  expect(() => parse(...argv)).toThrow(new UsageError(sentence))
})

test('the help is given whatever is missing, and names everything', () => {
  expect(parse('--help').help).toBe(true)
  const help = helpOfCommand('onesixty sample', sample)
  expect(help).toContain('Usage: onesixty sample <file> --name NAME [options]')
  for (const word of [
    'Tries everything.',
    '--name NAME',
    '(required)',
    '--mode MODE',
    'one of live, test',
    'may be repeated',
    '--shared',
    '--json',
    '--help',
    'Where it goes.',
  ]) {
    expect(help).toContain(word)
  }
})
