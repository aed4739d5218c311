/** Sections of settings, and what changes some of them. */
export type SectionChange<Settings> = { [Section in keyof Settings]?: Partial<Settings[Section]> }

/** Gives settings with a change in them; the objects that went in stay as they were. Refuses names that there are not. */
export function changeSections<Settings extends object>(
  settings: Settings,
  change: SectionChange<Settings>,
): Settings {
  const sections = Object.keys(settings) as (keyof Settings & string)[]
  for (const name of Object.keys(change))
    if (!sections.some((section) => section === name)) throw new Error(`There is no section ${name}.`)
  const changed = sections.map((name) => {
    const unknown = Object.keys(change[name] ?? {}).filter((key) => !(key in (settings[name] as object)))
    if (unknown.length > 0) throw new Error(`There is no setting ${name}.${unknown.join(', ')}.`)
    return [name, { ...settings[name], ...change[name] }] as const
  })
  return Object.fromEntries(changed) as Settings
}
