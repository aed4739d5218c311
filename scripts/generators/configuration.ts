import { settingGroups } from '../../src/settings/settings.ts'
import type { Generator } from './generator.ts'

interface Row {
  env: string
  summary: string
  default: string | number | readonly string[] | null
  secret?: true
}

const groups: readonly { title: string; rows: readonly Row[] }[] = settingGroups.map(
  ({ title, settings }) => ({
    title,
    rows: Object.values(settings),
  }),
)

/** `docs/configuration.md`: every setting with its default. */
export const configurationPage: Generator = {
  path: 'docs/configuration.md',
  render: async () => `# Configuration

Generated from \`src/settings/\` by \`npm run generate\`.

Settings are environment variables. An unknown name that begins with \`ONESIXTY_\` is refused at the start, and so is a value
that cannot be used; all faults are named at once. \`ONESIXTY_API_KEY\` is taken and not used here: \`onesixty send --env-file\` reads
it from the same file. An empty value counts as not set. \`.env.example\` is a file of them to copy.

${groups.map(({ title, rows }) => `## ${title}\n\n| setting | default | |\n| --- | --- | --- |\n${rows.map(line).join('\n')}`).join('\n\n')}
`,
}

/** `.env.example`: the same, to copy from. */
export const environmentExample: Generator = {
  path: '.env.example',
  render:
    async () => `# Generated from src/settings/ by npm run generate. Every setting with its default; see docs/configuration.md.
# onesixty reads its environment only. To fill it from a copy of this file: set -a; . ./.env; set +a; npm start

${groups.map(({ title, rows }) => [`# --- ${title} ---`, ...rows.map((row) => `# ${row.summary}\n#${row.env}=${asText(row.default)}`)].join('\n\n')).join('\n\n')}
`,
}

const line = (row: Row): string =>
  `| \`${row.env}\`${row.secret ? ' (secret)' : ''} | ${shown(row.default)} | ${row.summary} |`

const shown = (value: Row['default']): string => (asText(value) === '' ? '–' : `\`${asText(value)}\``)

const asText = (value: Row['default']): string =>
  typeof value === 'object' ? (value ?? []).join(',') : String(value)
