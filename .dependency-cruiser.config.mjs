/**
 * The dependency rule of the house: one way, from the top down. `test/architecture/` proves that this file sees every module
 * (dependency-cruiser without a parser for TypeScript 7 sees none and passes) and that it catches planted violations.
 */

/**
 * Top first; what shares a row are neighbours. A module may import its own folder and any row below, never a row above and
 * never a neighbour.
 */
export const layers = [
  { main: '^src/main\\.ts$' },
  { cli: '^src/cli/' },
  { app: '^src/app/' },
  { api: '^src/api/' },
  { sending: '^src/sending/' },
  { dispatch: '^src/dispatch/', webhooks: '^src/webhooks/' },
  { connectors: '^src/connectors/', alerts: '^src/alerts/' },
  { privacy: '^src/privacy/' },
  { messages: '^src/messages/' },
  { accounts: '^src/accounts/', ledger: '^src/ledger/', devices: '^src/devices/' },
  { storage: '^src/storage/' },
  { smpp: '^src/smpp/', reach: '^src/reach/' },
  { certificates: '^src/certificates/' },
  { process: '^src/process/' },
  { settings: '^src/(?:settings/|config\\.ts$)' },
  { sms: '^src/sms/', numbers: '^src/numbers/', outgoing: '^src/outgoing/' },
  { runtime: '^src/runtime/' },
]

/**
 * The sub-rooms of a room, top first, by the same rule. The files of the room's own folder stand above them: they put together
 * what the sub-rooms have.
 */
export const subRooms = {
  cli: [
    ['account', 'database'],
    ['message', 'doctor', 'device', 'route', 'access', 'webhook', 'server'],
    ['core'],
  ],
  api: [['console'], ['operator'], ['reference'], ['pages'], ['direct', 'v1'], ['edge']],
  'api/console': [['operator', 'live', 'devices', 'account', 'sign-in'], ['messages'], ['core']],
  messages: [
    ['audit', 'history', 'inbound', 'outcomes'],
    ['send', 'opt-outs', 'account-state'],
    ['queue'],
    ['phones'],
    ['core'],
  ],
  dispatch: [
    ['nodes'],
    ['sweepers'],
    ['inbound', 'phones'],
    ['submissions'],
    ['devices'],
    ['trust'],
    ['configuration'],
    ['rates', 'routes'],
    ['outcomes'],
  ],
  accounts: [['people', 'keys'], ['core']],
  devices: [['phones', 'routes'], ['core'], ['status'], ['canaries'], ['plans']],
  storage: [['move', 'open'], ['postgres', 'sqlite'], ['instance'], ['seam'], ['tables']],
  smpp: [['values', 'session'], ['codec']],
  'connectors/smpp': [['receive', 'settings'], ['submit'], ['session']],
  'connectors/modem': [['ports'], ['run'], ['receive', 'submit'], ['setup'], ['at'], ['line', 'pdu']],
  'connectors/http': [['callbacks'], ['request'], ['answers'], ['declaration']],
}

/** The files that stand above the sub-rooms of a room, in its own folder; every other file belongs to a sub-room. */
const rootFiles = {
  cli: ['command-line'],
  api: ['routes', 'server'],
  'api/console': ['calls', 'guard-call', 'mount', 'pages'],
  messages: ['units'],
  'connectors/smpp': ['facts', 'link', 'link-health', 'link-plan', 'smpp'],
  'connectors/modem': ['facts', 'link', 'link-health', 'modem', 'settings', 'try-modem'],
  'connectors/http': [
    'account-state',
    'balance-watch',
    'call-watch',
    'check-examples',
    'declaration-schema',
    'exchange',
    'facts',
    'http',
    'link',
    'link-outcomes',
    'own-providers',
    'receipt-polls',
    'receipt-ways',
    'resolve',
    'settings',
    'try-account',
    'unknowns',
  ],
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const onlyDownward = layers.flatMap((row, rank) =>
  Object.entries(row).flatMap(([name, path]) => {
    const neighbours = Object.values(row).filter((other) => other !== path)
    const above = layers.slice(0, rank).flatMap((higher) => Object.values(higher))
    const forbidden = [...neighbours, ...above]
    const comment = 'A module imports its own folder and the layers below it.'
    return forbidden.length === 0
      ? []
      : [forbid(`${name}-imports-only-downward`, comment, { path }, { path: forbidden })]
  }),
)

const onlyDownwardInside = Object.entries(subRooms).flatMap(([room, rows]) => {
  const pathOf = (name) => `^src/${room}/${name}/`
  return rows.flatMap((row, rank) =>
    row.map((name) => {
      const others = rows
        .slice(0, rank + 1)
        .flat()
        .filter((other) => other !== name)
      return forbid(
        `${room.replace('/', '-')}-${name}-imports-only-downward`,
        'A module imports its own sub-room and those below it.',
        { path: pathOf(name) },
        { path: [`^src/${room}/[^/]+$`, ...others.map(pathOf)] },
      )
    }),
  )
})

/** What knows nothing of messages, accounts and tables. */
const primitives = layers.slice(-4).flatMap((row) => Object.values(row))

/** Dead files are not sought here: knip asks the stronger question, whether an entry point reaches them. */
export default {
  forbidden: [
    ...onlyDownward,
    ...onlyDownwardInside,
    forbid('no-cycles', 'A cycle has no bottom to begin reading at.', {}, { circular: true }),
    {
      name: 'every-module-has-a-layer',
      comment:
        'A stray folder belongs to nobody. Put the code where its owner lives, or add the folder to the layers.',
      severity: 'error',
      // A rule about dependencies would pass a module that imports nothing; this one holds for every module there is.
      module: {
        path: '^src/',
        pathNot: layers.flatMap((row) => Object.values(row)),
        numberOfDependentsLessThan: 100,
      },
      from: {},
    },
    {
      name: 'every-module-has-a-sub-room',
      comment: 'Where a room has sub-rooms, each of its files is in one, or is named among those above them.',
      severity: 'error',
      module: {
        path: Object.keys(subRooms).map((room) => `^src/${room}/`),
        pathNot: [
          ...Object.entries(subRooms).flatMap(([room, rows]) =>
            rows.flat().map((name) => `^src/${room}/${name}/`),
          ),
          '^src/storage/migrations/',
          ...Object.entries(rootFiles).map(([room, names]) => `^src/${room}/(?:${names.join('|')})\\.ts$`),
        ],
        numberOfDependentsLessThan: 100,
      },
      from: {},
    },
    forbid(
      'a-connector-sees-only-the-seam-and-primitives',
      'A connector knows its device, nothing of accounts, money, tables or other kinds.',
      { path: '^src/connectors/([^/]+)/' },
      {
        path: '^src/',
        pathNot: [
          '^src/connectors/$1/',
          '^src/connectors/(connector|connector-tools|health|kind-facts|past-submission|rate|setting-rules|sim-choice)\\.ts$',
          '^src/connectors/sms/',
          '^src/smpp/',
          ...primitives,
        ],
      },
    ),
    forbid(
      'only-the-registry-names-connector-kinds',
      'A new kind is one folder and one line of registry.ts; providers.ts and provider-forms.ts show the declarations of one.',
      {
        path: '^src/',
        pathNot: [
          '^src/connectors/(registry|providers|provider-forms)\\.ts$',
          '^src/connectors/[^/]+/',
          '^src/app/',
        ],
      },
      { path: '^src/connectors/[^/]+/' },
    ),
    forbid(
      'sql-drivers-stay-in-storage',
      'Everybody else speaks Kysely. Names of dialect internals are kept out by oxlint (no-restricted-imports).',
      { path: '^src/', pathNot: '^src/storage/' },
      { path: '(^(node:)?sqlite$|node_modules/(pg|pg-[a-z-]+|kysely/dist/.*dialect)/)' },
    ),
    forbid(
      'fastify-stays-at-the-edge',
      'HTTP ends where the domain begins.',
      {
        path: '^src/',
        pathNot: ['^src/api/', '^src/connectors/android/', '^src/connectors/http/callbacks/'],
      },
      { path: 'node_modules/(fastify|@fastify)/' },
    ),
    forbid(
      'the-program-runs-without-dev-dependencies',
      'npm ci --omit=dev must leave a program that starts.',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev'] },
    ),
    forbid(
      'every-import-resolves',
      'An edge that leads nowhere is checked by nobody.',
      { path: '^src/' },
      { couldNotResolve: true },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
