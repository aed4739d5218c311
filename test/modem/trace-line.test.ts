import fc from 'fast-check'
import { expect, test } from 'vitest'
import { traceLine } from '../../src/connectors/modem/at/trace-line.ts'

test('P15: a trace shows commands and answers as they are', () => {
  const lines = [
    'AT+CMGF=0', 'OK', 'ERROR', '+CMS ERROR: 500', 'AT+CMGS=42', '>', '+CMGS: 17', '+CSQ: 20,99', '+CREG: 0,1', 'AT+CNMI=2,1,0,1,0',
    '+CPMS: 1,20,1,20,1,20', '+CMTI: "SM",3', '+COPS: 0,0,"Testnetz",7', 'SMS Ready', 'UNDER-VOLTAGE WARNNING POWER DOWN', '^RSSI:17',
  ] // prettier-ignore
  expect(lines.map(traceLine)).toEqual(lines)
  expect([traceLine('AT\r'), traceLine('\x1b'), traceLine('\x1a')]).toEqual(['AT', '<ESC>', '<CTRL-Z>'])
})

test.for([
  ['AT+CPIN="1234"', 'AT+CPIN=***'],
  ['AT+CPIN=1234', 'AT+CPIN=***'],
  ['AT+CPIN="12345678","4711"', 'AT+CPIN=***'],
  ['AT+CLCK="SC",0,"1234"', 'AT+CLCK=***'],
  ['+CSCA: "+491710760000",145', '+CSCA: "***",145'],
  ['+CLIP: +491711234567,145', '+CLIP: ***,145'],
  ['+CCID: 8949020000012345678F', '+CCID: ***'],
  ['490154203237518', '<15 characters>'],
  ['262011234567890', '<15 characters>'],
  ['+CMGR: 0,"Ada Lovelace",25', '+CMGR: 0,"***",25'],
  ['+CUSD: 0,"Guthaben 12,34 EUR', '+CUSD: 0,"***"'],
  ['Ihre Nummer ist 0171 1234567",15', '<32 characters>'],
  ['AT+CUSD=1,"*100#",15', 'AT+CUSD=1,"***",15'],
  ['07919471010071F011000C919471', '<14 octets>'],
  ['+CMGS: 5,000100919471', '+CMGS: 5,***'],
  ['Quectel', '<7 characters>'],
  ['Dear Ada, your code is 1234', '<27 characters>'],
] as const)('P15: %s is logged as %s', ([line, shown]) => {
  expect(traceLine(line)).toBe(shown)
})

test('P15: no PDU, number, PIN or text of any shape is in a line of a trace', () => {
  const secrets = fc.oneof(
    fc.stringMatching(/^[1-9]\d{6,18}$/),
    fc.uint8Array({ minLength: 8, maxLength: 176 }).map((octets) => Buffer.from(octets).toString('hex').toUpperCase()),
  )
  const places = fc.constantFrom(
    (secret: string) => secret,
    (secret: string) => `+${secret}`,
    (secret: string) => `AT+CMGW="${secret}"`,
    (secret: string) => `AT+CPIN=${secret.slice(0, 4)}${secret}`,
    (secret: string) => `+CMT: "${secret}",,20`,
    (secret: string) => `^XYZ: 1,${secret},2`,
    (secret: string) => `text and ${secret}`,
    (secret: string) => `${secret}\x1a`,
  )
  fc.assert(
    fc.property(secrets, places, (secret, place) => {
      expect(traceLine(place(secret))).not.toContain(secret)
    }),
  )
}) // prettier-ignore
