import { expect, test } from 'vitest'
import { askSecret } from '../../src/cli/core/ask-secret.ts'

/** A terminal at which these keys are typed. */
function terminal(...keys: string[]) {
  const said = { text: '', raw: [] as boolean[] }
  const stdin = Object.assign(
    (async function* typed() {
      yield* keys
    })(),
    { isTTY: true, setRawMode: (isRaw: boolean) => void said.raw.push(isRaw) },
  )
  const write = (text: string): void => void (said.text += text)
  return { said, io: { stdin, stdout: { write }, stderr: { write }, env: {} } }
}

test('what is typed is not shown, and the terminal echoes again afterwards', async () => {
  const { io, said } = terminal('se', 'x\u007f', 'cret\r', 'more')
  expect(await askSecret(io, 'Password: ')).toBe('secret')
  expect(said).toEqual({ text: 'Password: \n', raw: [true, false] })
})

test('Ctrl-C and an empty line end it, and the terminal echoes again', async () => {
  for (const keys of ['ab\u0003', '\r']) {
    const { io, said } = terminal(keys)
    await expect(askSecret(io, '')).rejects.toThrow(/Interrupted|empty/)
    expect(said.raw).toEqual([true, false])
  }
})

test('without a terminal it names the option', async () => {
  const { io } = terminal()
  const stdin = Object.assign(io.stdin, { isTTY: false })
  await expect(askSecret({ ...io, stdin }, '')).rejects.toThrow('--password-stdin')
})
