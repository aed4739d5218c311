/** How networks write an international number (E.164, and with the prefix of most countries). */
export const spellingsOf = (number: string): string[] => [number, number.slice(1), `00${number.slice(1)}`]
