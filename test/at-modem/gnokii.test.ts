import { describe, expect, test } from 'vitest'
import { hasCommands } from '../peers/foreign-tools.ts'
import { openBench } from './driver-bench.ts'

/** gnokii 0.6.30 of Debian 12, which writes a PDU and Ctrl-Z at once. */
describe.skipIf(!hasCommands('gnokii', 'socat'))('gnokii', () => {
  const open = async () => {
    const bench = await openBench({ settings: { storage: { sizes: { SM: 20 } } } })
    return {
      bench,
      rc: bench.file('rc', '[global]', `port = ${bench.tty}`, 'model = AT', 'connection = serial'),
    }
  }

  test('sends a text of both tables of the alphabet, with a report wanted', async () => {
    const { bench, rc } = await open()
    const said = await bench.run(
      'gnokii',
      ['--config', rc, '--sendsms', '+491701234567', '-r'],
      'Hello {world} 12€',
    )
    expect(said).toContain('Send succeeded with reference 1!')
    expect(bench.modem.taken()).toMatchObject([
      { to: '+491701234567', text: 'Hello {world} 12€', wantsReport: true },
    ])
  })

  test('reads what was received', async () => {
    const { bench, rc } = await open()
    await bench.modem.receive({ from: '+491701234567', text: 'Grüße {}' })
    const said = await bench.run('gnokii', ['--config', rc, '--getsms', 'SM', '1', '1', '-d'])
    expect(said).toContain('Grüße {}')
    expect(said).toContain('+491701234567')
    expect((await bench.modem.state()).used.SM).toBe(0)
  })
})
