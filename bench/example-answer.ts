import { recipientOf, textOfMessages } from './load-job.ts'
import { withServer } from './server-process.ts'

/** The 202 that onesixty gives to the request of the bench: what the bare server shall answer too. */
export const exampleAnswer = (): Promise<object> =>
  withServer({ settings: ['offline=true'] }, async ({ server, account }) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: recipientOf(0), text: textOfMessages }),
    })
    const text = await answer.text()
    if (answer.status !== 202) throw new Error(`A send was answered with ${answer.status}: ${text}`)
    return JSON.parse(text) as object
  })
