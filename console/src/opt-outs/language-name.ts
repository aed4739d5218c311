const names = new Intl.DisplayNames(['en'], { type: 'language' })

/** Names the language of a keyword set, such as `French`. */
export const languageName = (language: string): string =>
  language === 'und' ? 'built-in words' : (names.of(language) ?? language)
