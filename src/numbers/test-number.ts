/**
 * Returns whether a number is a test number, which selects a simulated response and outcome. Only test keys
 * can send to them.
 */
export const isTestNumber = (e164: string): boolean => e164.startsWith('+1500555') && testNumber.test(e164)

const testNumber = /^\+150055500(?:0[1-9]|1[01])$/
