import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { openModem } from './open-modem.ts'

/** Names of all commands that it knows, forms of calling them, and values that mean nothing. */
const names = ['', 'E', 'I', 'Z', '&F', '+CMEE', '+CFUN', '+CSCS', '+CPIN', '^CPIN', '+CPINR', '+CCID', '+CRSM', '+CLCK', '+CREG', '+COPS', '+CSQ', '+CUSD', '+CMGF', '+CSMS', '+CNMI', '+CNMA', '+CSCA', '+CMMS', '+CMGS', '+CMGW', '+CMSS', '+CPMS', '+CMGL', '+CMGR', '+CMGD', '+NONE'] // prettier-ignore
const values = fc.array(fc.constantFrom('', '0', '1', '4', '99999', '-1', 'x', '"SM"', '"', '"*100#"', '\u00ff'), { maxLength: 6 }) // prettier-ignore
const command = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom('', '?', '=?', '=', '=', '=', '=', ';', '=;+CSQ'), values)
  .map(([name, form, list]) => `AT${name}${form}${form === '=' ? list.join(',') : ''}\r`)
const hex = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase())
const pdu = fc.oneof(hex, hex.map((digits) => `0031000C91947110325476${digits}`)).map((text) => `AT+CMGS=${Math.max(1, Math.min(180, text.length / 2 - 1)) | 0}\r${text}\u001a`) // prettier-ignore
const bytes = fc.uint8Array({ maxLength: 50 }).map((each) => Buffer.from(each).toString('latin1'))

test(
  'no bytes end the emulator, and after ESC it answers AT',
  async () => {
    const { modem, driver } = await openModem({
      profile: 'huawei',
      settings: { ussd: { when: 'before-ok' } },
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(command, pdu, bytes), { maxLength: 30 }), async (pieces) => {
        driver.write(pieces.join(''))
        // An echo may be on again, and an answer may be under way.
        driver.write('\u001b\rATE0;+GSN\r')
        await driver.until(/490154203237518\r\n[^]*OK\r\n/)
        expect((await modem.state()).isAtPrompt).toBe(false)
      }),
      { numRuns: sizeOf('MODEM_BYTES') },
    )
  },
  endAfter(60_000),
)
