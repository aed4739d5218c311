import { settings } from '../../src/settings.ts'
import type { Generator } from './generator.ts'

interface Row {
  env: string
  says: string
  default: string | number | readonly string[] | null
  secret?: true
}

const rows: readonly Row[] = Object.values(settings)

/** `docs/configuration.md`: every setting with its default. */
export const configurationPage: Generator = {
  path: 'docs/configuration.md',
  render: async () => `# Configuration

Generated from \`src/settings.ts\` by \`npm run generate\`.

Settings are environment variables. An unknown name that begins with \`ONESIXTY_\` is refused at the start, and so is a value
that cannot be used; all faults are named at once. An empty value counts as not set. \`.env.example\` is a file of them to copy.

| setting | default | |
| --- | --- | --- |
${rows.map((row) => `| \`${row.env}\`${row.secret ? ' (secret)' : ''} | ${shown(row.default)} | ${row.says} |`).join('\n')}
`,
}

/** `.env.example`: the same, to copy from. */
export const environmentExample: Generator = {
  path: '.env.example',
  render:
    async () => `# Generated from src/settings.ts by npm run generate. Every setting with its default; see docs/configuration.md.
# onesixty reads its environment only. To fill it from a copy of this file: set -a; . ./.env; set +a; npm start

${rows.map((row) => `# ${row.says}\n#${row.env}=${asText(row.default)}`).join('\n\n')}
`,
}

const shown = (value: Row['default']): string => (asText(value) === '' ? '–' : `\`${asText(value)}\``)

const asText = (value: Row['default']): string =>
  typeof value === 'object' ? (value ?? []).join(',') : String(value)
