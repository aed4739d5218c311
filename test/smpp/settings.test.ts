import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSettings, smppSettings } from '../../src/connectors/smpp/settings/settings.ts'
import { deviceFaults, missingFaults } from '../../src/devices/core/device-rules.ts'

const least = { host: 'smsc.example', port: '2775', system_id: 'onesixty' }
const read = (given: Record<string, string> = {}) => readSettings({ ...least, ...given })
const faultOf = (name: string, value: string) => smppSettings.find((rule) => rule.name === name)!.check(value)
const rules = { settings: smppSettings, secretNames: ['password'], requiredSecrets: ['password'] }

test('three settings and a password make a link, and each one missing is named', () => {
  const nothing = { settings: {}, secrets: {} }
  expect(missingFaults(rules, nothing).map(({ pointer }) => pointer)).toEqual([
    '/settings/host',
    '/settings/port',
    '/settings/system_id',
    '/secrets/password',
  ])
  expect(missingFaults(rules, nothing)[0]!.detail).toContain('needs the setting host')
  expect(missingFaults(rules, { settings: least, secrets: { password: 'x' } })).toEqual([])
})

test('what is left out has its default', () => {
  expect(read()).toEqual({
    host: 'smsc.example',
    port: 2775,
    tls: null,
    bindAs: 'transceiver',
    login: {
      systemId: 'onesixty',
      systemType: '',
      interfaceVersion: 0x34,
      addressRange: { ton: 0, npi: 0, address: '' },
    },
    sessions: 1,
    limits: expect.objectContaining({
      window: 10,
      bindTimeoutMs: 10_000,
      responseTimeoutMs: 30_000,
      enquireLinkMs: 30_000,
      inactivityMs: 0,
    }),
    maxPerSecond: null,
    reconnect: { minMs: 0, firstMs: 1_000, longestMs: 60_000 },
    message: {
      sourceTon: null,
      sourceNpi: null,
      destinationTon: null,
      destinationNpi: null,
      defaultSender: '',
      alphabet: 'gsm7',
      gsmPacking: 'unpacked',
      dataCoding: 0,
      concat: 'udh8',
      receipts: 'all',
      validity: 'relative',
      serviceType: '',
      protocolId: 0,
      userMessageReference: true,
      tlvs: [],
    },
    inboundAlphabet: 'gsm7',
    messageIds: 'auto',
    receipts: { words: new Map(), pattern: null },
    receiptsPer: 'part',
    statusOverrides: new Map(),
    trace: false,
  })
})

test('every setting is read where it belongs', () => {
  const given = {
    tls: 'on',
    tls_verify: 'off',
    tls_server_name: 'a.example',
    tls_ca_file: '/ca',
    tls_cert_file: '/cert',
    tls_key_file: '/key',
    bind: 'pair',
    sessions: '4',
    window: '100',
    max_per_second: '0.2',
    system_type: 'VMA',
    interface_version: '5.0',
    address_range: '1:2:^49',
    source_ton: '5',
    source_npi: '0',
    destination_ton: '2',
    destination_npi: '8',
    default_sender: 'Shop',
    data_coding: '3',
    alphabet: 'latin1',
    inbound_alphabet: 'ascii',
    gsm_packing: 'packed',
    concat: 'sar',
    receipts: 'failures',
    validity: 'absolute',
    service_type: 'CMT',
    protocol_id: '1',
    tlvs: '1400:octets:3031',
    message_ids: 'hex_to_decimal',
    receipt_words: 'BARRED=undelivered HELD=open',
    receipts_per: 'message',
    receipt_pattern: '{stat},{submitted},{id},{*}',
    bind_timeout_ms: '101',
    response_timeout_ms: '102',
    enquire_link_ms: '1003',
    enquire_link_timeout_ms: '1007',
    inactivity_ms: '1004',
    reconnect_least_ms: '104',
    reconnect_first_ms: '105',
    reconnect_longest_ms: '106',
    status_classes: '0x14=now',
    trace: 'on',
    user_message_reference: 'off',
    country: 'DE',
  }
  expect(Object.keys({ ...least, ...given }).toSorted()).toEqual(
    smppSettings.map(({ name }) => name).toSorted(),
  )
  expect(deviceFaults(rules, { settings: given, secrets: {}, senders: [], pace: null })).toEqual([])
  expect(read(given)).toMatchObject({
    tls: { verify: false, serverName: 'a.example', caFile: '/ca', certFile: '/cert', keyFile: '/key' },
    bindAs: 'pair',
    sessions: 4,
    maxPerSecond: 0.2,
    inboundAlphabet: 'ascii',
    receipts: { pattern: expect.any(Function) as unknown },
    messageIds: 'hex_to_decimal',
    trace: true,
    login: { systemType: 'VMA', interfaceVersion: 0x50, addressRange: { ton: 1, npi: 2, address: '^49' } },
    limits: {
      window: 100,
      bindTimeoutMs: 101,
      responseTimeoutMs: 102,
      enquireLinkMs: 1003,
      enquireLinkTimeoutMs: 1007,
      inactivityMs: 1004,
    },
    reconnect: { minMs: 104, firstMs: 105, longestMs: 106 },
    message: {
      sourceTon: 5,
      sourceNpi: 0,
      destinationTon: 2,
      destinationNpi: 8,
      defaultSender: 'Shop',
      alphabet: 'latin1',
      gsmPacking: 'packed',
      dataCoding: 3,
      concat: 'sar',
      receipts: 'failures',
      validity: 'absolute',
      serviceType: 'CMT',
      protocolId: 1,
      userMessageReference: false,
      tlvs: [{ tag: 0x1400, value: Buffer.from('01') }],
    },
    statusOverrides: new Map([[0x14, 'now']]),
  })
})

test('whatever a check lets through is read, and whatever it refuses is not', () => {
  const word = fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '2775',
    '1e3',
    '0.2',
    'on',
    'auto',
    'pair',
    'sar',
    '/a',
    'a b',
    'é',
    '1400:octets:30',
    '0x14=now',
    '0x14=now 0x14=good',
    'zz:octets:1',
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...smppSettings),
      fc.oneof(word, fc.string({ maxLength: 12 })),
      (rule, value) => {
        const readIt = () => read({ [rule.name]: value })
        if (rule.check(value) === null) expect(readIt).not.toThrow()
        else expect(readIt).toThrow(`The setting ${rule.name} needs`)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('every default passes its own check, and those without one do not', () => {
  const refused = smppSettings.filter((rule) => rule.check(rule.default) !== null)
  expect(refused.map(({ name }) => name)).toEqual(['host', 'port', 'system_id'])
  expect(smppSettings.filter(({ required }) => required)).toEqual(refused)
  expect(smppSettings.filter(({ summary }) => !summary.endsWith('.') || summary.includes('|'))).toEqual([])
})

test('a host is a name or an address, and nothing around it', () => {
  for (const host of ['localhost', '10.0.0.1', '::1', 'smsc_1', 'a.example.'])
    expect(faultOf('host', host), host).toBeNull()
  for (const host of ['', 'smpp://a.example', 'a.example:2775', 'a b', '-a', 'a/b'])
    expect(faultOf('host', host), host).toContain('without scheme, port and path')
})

test('numbers keep their bounds', () => {
  for (const [name, value] of [
    ['port', '0'],
    ['port', '65536'],
    ['sessions', '21'],
    ['window', '1001'],
    ['window', '010'],
    ['max_per_second', '0'],
    ['enquire_link_ms', '999'],
    ['inactivity_ms', '999'],
    ['source_ton', '256'],
    ['data_coding', '-1'],
  ] as const)
    expect(faultOf(name, value), `${name}=${value}`).toContain('needs')
})

test('TLVs are read as octets, texts and numbers, and none may be what joins parts', () => {
  const tlvs = (text: string) =>
    read({ tlvs: text }).message.tlvs.map(
      ({ tag, value }) => `${tag.toString(16)}:${Buffer.from(value).toString('hex')}`,
    )
  expect(
    tlvs('1400:octets:3031 0x1401:text:ab 1402:cstring:ab 204:int16:258,30:int8:1 1403:int32:1'),
  ).toEqual(['1400:3031', '1401:6162', '1402:616200', '204:0102', '30:01', '1403:00000001'])
  for (const text of [
    '1400',
    '1400:octets:3',
    '1400:octets:zz',
    '1400:int8:256',
    '1400:float:1',
    '12345:text:a',
    '424:text:a',
    '20c:int16:1',
    '1400:text:a 1400:text:b',
  ])
    expect(faultOf('tlvs', text), text).toContain('tag:type:value')
})

test('status classes are read in hexadecimal and decimal, each status once', () => {
  expect(read({ status_classes: '0x14=now 1025=busy,0xFF=good' }).statusOverrides).toEqual(
    new Map([
      [0x14, 'now'],
      [1025, 'busy'],
      [0xff, 'good'],
    ]),
  )
  for (const text of ['0x14', '0x14=soon', '0=good', '0x14=now 20=good', '4294967296=good'])
    expect(faultOf('status_classes', text), text).toContain('status=class')
})

test('a file is named by its whole path', () => {
  expect(faultOf('tls_ca_file', 'ca.pem')).toContain('absolute path')
  expect(faultOf('tls_ca_file', '')).toBeNull()
})

test('what comes in is in the alphabet of what goes out, unless it is said otherwise', () => {
  expect(read({ alphabet: 'latin1' }).inboundAlphabet).toBe('latin1')
  expect(read({ alphabet: 'latin1', inbound_alphabet: 'gsm7' })).toMatchObject({
    inboundAlphabet: 'gsm7',
    message: { alphabet: 'latin1' },
  })
})
