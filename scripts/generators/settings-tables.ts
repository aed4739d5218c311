import { readFile } from 'node:fs/promises'
import { androidSettings } from '../../src/connectors/android/settings.ts'
import { modemSettings } from '../../src/connectors/modem/settings.ts'
import type { SettingRule } from '../../src/connectors/setting-rules.ts'
import { smppSettings } from '../../src/connectors/smpp/settings/settings.ts'
import type { Generator } from './generator.ts'

/** The table of settings in `docs/connectors/smpp.md`. */
export const smppSettingsTable = settingsTable('smpp', smppSettings)
/** The table of settings in `docs/connectors/android.md`. */
export const androidSettingsTable = settingsTable('android', androidSettings)
/** The table of settings in `docs/connectors/modem.md`. */
export const modemSettingsTable = settingsTable('modem', modemSettings)

/** Takes the place of what stands between the two marks in the page of a kind of device. */
function settingsTable(kind: string, settings: readonly SettingRule[]): Generator {
  const path = `docs/connectors/${kind}.md`
  const begin = `<!-- settings:begin, written by npm run generate from the settings of src/connectors/${kind}/ -->`
  const end = '<!-- settings:end -->'
  return {
    path,
    async render() {
      const [before, rest] = (await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).split(begin)
      const after = rest?.split(end)[1]
      if (before === undefined || after === undefined) throw new Error(`${path} has no ${begin} … ${end}.`)
      const rows = settings.map(
        ({ name, default: byDefault, summary }) =>
          `| \`${name}\` | ${byDefault === '' ? '–' : `\`${byDefault}\``} | ${summary} |`,
      )
      return `${before}${begin}\n| setting | default | what it does |\n| --- | --- | --- |\n${rows.join('\n')}\n${end}${after}`
    },
  }
}
