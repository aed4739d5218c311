import { changeModem, type ModemChange, type ModemSettings } from './modem-settings.ts'

/** A modem that does all as the standards say. */
const standard: ModemSettings = {
  line: {
    echo: 'on',
    lineEnd: '\r\n',
    isLed: true,
    prompt: '> ',
    unknownCommand: 'ERROR',
    errorForm: 'spaced',
    silence: 'none',
    noise: null,
    chunkBytes: null,
    cut: null,
    atHangUp: 'nothing',
    whenHeld: 'port-in-use',
    deafMs: 0,
    whileBusy: 'kept',
    answerDelayMs: 0,
    hasNuls: false,
  },
  identity: {
    manufacturer: 'Emulated',
    model: 'AT-1',
    revision: '1.0',
    imei: '490154203237518',
    iccidBy: ['+CCID', '+CRSM'],
    triesBy: ['+CPINR'],
    bootLines: [],
    readyAfterMs: 0,
    readyLines: [],
    beforePin: 'usual',
    isCpinWithoutOk: false,
    cfun: 1,
    busyAfterCfun: 0,
  },
  network: {
    cs: 1,
    ps: 1,
    eps: null,
    signal: 20,
    operator: 'Testnetz',
    technology: 7,
    registerAfterMs: 0,
    retryMs: 1_000,
    offsetMinutes: 60,
  },
  storage: {
    sizes: { SM: 20, ME: 100, SR: 10 },
    isOne: false,
    groups: 'three',
    firstIndex: 1,
    emptyList: 'nothing',
    emptyPlace: 'cms-321',
    refuseDeletes: 0,
    fullLine: null,
    keptIn: null,
    receivesInto: null,
    alpha: '',
  },
  indications: {
    cnmi: [
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 2],
      [0, 1, 2],
      [0, 1],
    ],
    rangeForm: 'dash',
    cnmiAtStart: [0, 0, 0, 0, 0],
    hasService1: true,
    cmti: 'right',
    cdsi: 'right',
    otherPortUntil: null,
    ackWithinMs: 15_000,
    unroutedReports: 'dropped',
    reportMemory: 'SR',
    class0: 'stored',
    duringCommand: 'after',
  },
  submit: {
    rules: [],
    prompt: 'right',
    promptDelayMs: 0,
    answerDelayMs: 0,
    escapeAnswer: ['OK'],
    reference: 'counts',
    firstReference: 1,
    repeatsPrompt: false,
    ackPdu: null,
    hasMoreToSend: true,
    isResultWithoutOk: false,
  },
  reports: { rules: [], when: 'asked' },
  ussd: { answers: { '*100#': 'Guthaben: 12,34 EUR' }, form: 'plain', when: 'after-ok', delayMs: 0 },
  answers: { rules: [] },
}

/** What differs from the standard, as reports tell it: not one of these modems was here. */
const differences = {
  generic: {},
  /** E1752, K3715: `COMMAND NOT SUPPORT`, no CMMS (gammu 138), `^RSSI` and the like at any time, packed USSD; CR CR LF behind CLAC alone (python-gsmmodem). */
  huawei: {
    line: {
      unknownCommand: 'COMMAND NOT SUPPORT',
      noise: { lines: ['^RSSI:17', '^BOOT:12345678,0,0,0,20'], where: ['before', 'before-final'] },
    },
    identity: {
      manufacturer: 'huawei',
      model: 'E1752',
      revision: '11.126.13.00.00',
      iccidBy: ['^ICCID'],
      triesBy: ['^CPIN'],
    },
    storage: { fullLine: '^SMMEMFULL:"{memory}"', firstIndex: 0 },
    submit: { hasMoreToSend: false },
    ussd: { form: 'packed-hex' },
    answers: { rules: [{ command: '^AT\\+CLAC$', lines: ['&C\r', '+CMGS\r', '+CNMI\r', 'OK'] }] },
  },
  /** E3372 with stick firmware: no second memory beside SM (gammu 829). */
  'huawei-lte': {
    line: { noise: { lines: ['^HCSQ:"LTE",47,42,146,24'], where: ['before', 'before-final'] } },
    identity: {
      manufacturer: 'huawei',
      model: 'E3372',
      revision: '21.180.01.00.00',
      iccidBy: ['^ICCID'],
      triesBy: ['^CPIN'],
    },
    network: { eps: 1 },
    storage: { sizes: { SM: 50, ME: 0 }, groups: 'two', fullLine: '^SMMEMFULL:"{memory}"', firstIndex: 0 },
    ussd: { form: 'packed-hex' },
  },
  /** SIM800: boot lines, refuses SMS until `SMS Ready` (GPRS_SIM900 39), loses what follows an answer at once. */
  simcom: {
    line: { deafMs: 20 },
    identity: {
      manufacturer: 'SIMCOM_Ltd',
      model: 'SIMCOM_SIM800L',
      revision: 'Revision:1418B04SIM800L24',
      triesBy: ['+SPIC'],
      bootLines: ['RDY', '+CFUN: 1', '+CPIN: READY'],
      readyAfterMs: 50,
      readyLines: ['Call Ready', 'SMS Ready'],
    },
    storage: { sizes: { SM: 30, ME: 20, SR: 0 } },
    indications: { hasService1: true },
    ussd: { when: 'after-ok' },
  },
  /** SIM7600: CMS 321 for an empty list, reports are in SR and not found there (python-gsmmodem 106). */
  'simcom-lte': {
    identity: {
      manufacturer: 'SIMCOM INCORPORATED',
      model: 'SIMCOM_SIM7600E-H',
      revision: 'LE20B04SIM7600M22',
      iccidBy: ['+CICCID'],
      triesBy: ['+SPIC'],
      bootLines: ['RDY', '+CPIN: READY', 'SMS DONE', 'PB DONE'],
    },
    network: { eps: 1 },
    storage: { firstIndex: 0, emptyList: 'cms-321', fullLine: '+SMS FULL' },
    ussd: { form: 'ucs2-hex' },
  },
  quectel: {
    identity: {
      manufacturer: 'Quectel',
      model: 'EC25',
      revision: 'EC25EFAR06A08M4G',
      iccidBy: ['+QCCID'],
      triesBy: ['+QPINC'],
      bootLines: ['RDY'],
      readyLines: ['+QIND: SMS DONE'],
    },
    network: { eps: 1 },
    storage: { firstIndex: 0, sizes: { SM: 50, ME: 255, SR: 0 } },
  },
  /** MF, K3565-Z: noise of its own, CSCA gone after CSMP. */
  zte: {
    line: {
      noise: {
        lines: ['+ZDONR: "Testnetz",262,2,"CS_PS","ROAM_OFF"', '+ZPASR: "UMTS"'],
        where: ['before', 'between'],
      },
    },
    identity: {
      manufacturer: 'ZTE INCORPORATED',
      model: 'MF190',
      revision: 'BD_P673A2V1.0.0B09',
      iccidBy: ['+ZICCID'],
      triesBy: [],
      beforePin: 'only-cpin',
    },
  },
  sierra: {
    identity: {
      manufacturer: 'Sierra Wireless, Incorporated',
      model: 'MC7455',
      revision: 'SWI9X30C_02.30.01.01',
      iccidBy: ['+ICCID'],
    },
    network: { eps: 1 },
    storage: { sizes: { SM: 40, ME: 0 }, groups: 'three' },
  },
  /** No OK behind `+CPIN:`, CME 515 after CFUN=1, names in two nested groups. */
  wavecom: {
    identity: {
      manufacturer: ' WAVECOM MODEM',
      model: ' MULTIBAND  900E  1800',
      revision: '641b09gg.Q2403A',
      isCpinWithoutOk: true,
      busyAfterCfun: 2,
      triesBy: [],
    },
    network: { ps: null },
    storage: { sizes: { SM: 20, SR: 10 }, groups: 'nested' },
    submit: { hasMoreToSend: true },
  },
} as const satisfies Record<string, ModemChange>

export type ModemProfile = keyof typeof differences

export const profileOf = (name: ModemProfile): ModemSettings => changeModem(standard, differences[name])
