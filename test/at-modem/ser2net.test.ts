import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { startSer2net } from '../peers/ser2net.ts'
import { openDriver } from './at-driver.ts'
import { openBench } from './driver-bench.ts'

const hello = '0031000C919471103254760000FF14C8329BFD066D50F7B79C4DDEA44031D9A60C'

/** ser2net 4.3.11 of Debian 12 between a driver and the port, as a box in the network has it. */
describe.skipIf(!hasCommands('ser2net', 'socat'))('ser2net', () => {
  async function open(protocol: 'tcp' | 'telnet') {
    const bench = await openBench({ settings: { line: { echo: 'off' } } })
    await bench.plug({ staysOpen: true })
    const port = await freePort()
    const box = await startSer2net({ tty: bench.tty, port, protocol, folder: bench.folder })
    return { bench, port, box }
  }

  test('carries a submit as bytes, refuses a second client as the emulator does, and takes the next one', async () => {
    const { bench, port, box } = await open('tcp')
    const driver = await openDriver(port)
    expect(await driver.submit(hello)).toEqual(['+CMGS: 1', 'OK'])
    const second = await openDriver(port)
    await second.until(/Port already in use\r\n/)
    await second.ended
    const besideIt = await openDriver(bench.modem.port)
    await besideIt.until(/^Port already in use\r\n$/)
    await driver.close()
    await eventually(async () => (await openDriver(port)).ask('AT').catch(() => []), (said) => expect(said).toEqual(['OK'])) // prettier-ignore
    await box.stop()
  })

  test('begins with its options in telnet, and doubles a byte 255', async () => {
    const { bench, port, box } = await open('telnet')
    const driver = await openDriver(port)
    const [options] = await driver.until(/^[^]{18}/)
    expect(Buffer.from(options, 'latin1').toString('hex')).toBe('fffb03fffd03fffb01fffe01fffd00fffb00')
    expect((await driver.ask('AT')).at(-1)).toBe('OK')
    await bench.modem.raw(Buffer.from([0x41, 0xff, 0x42]))
    await driver.until(/A\xff\xffB/)
    await box.stop()
  })
})
