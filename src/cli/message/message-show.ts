import { renderMessage } from '../../api/v1/message-view.ts'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { readMessageDetails, type StoryAttempt } from '../../messages/history/message-details.ts'
import { command } from '../core/command.ts'
import { CommandError } from '../core/command-errors.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

export const show = command({
  summary: 'Shows a message with its attempts and network message IDs.',
  details: 'Use these IDs to ask the carrier about a message.',
  arguments: [{ name: 'message', summary: 'Message ID: msg_…' }],
  options: {
    account: accountOption,
    mode: modeOption('Mode of the message. Default: live.'),
  },
  async run(tools, { options: { account: accountId, mode = 'live' }, arguments: [messageId = ''] }) {
    const story = await tools.withStorage(({ read }) =>
      readMessageDetails(read, { accountId, mode }, messageId),
    )
    if (story === null)
      throw new CommandError('not_found', `Account ${accountId} has no ${mode} message ${messageId}.`)
    const { text: _text, ...message } = renderMessage(story.message)
    const attempts = story.attempts.map(document)
    const { status, to, error } = message
    return {
      json: {
        ...message,
        follows: story.follows,
        followed_by: story.followedBy,
        attempts,
        receipts_awaited: story.receiptsAwaited,
      },
      text: [
        [messageId, status, to ?? 'erased', ...(error === null ? [] : [error.code])].join('  '),
        ...story.attempts.map(describe),
        ...(story.follows === null ? [] : [`Follows ${story.follows}, which was not delivered`]),
        ...(story.followedBy === null ? [] : [`Followed by ${story.followedBy}`]),
        `Receipts awaited: ${story.receiptsAwaited}`,
      ].join('\n'),
    }
  },
})

const document = (attempt: StoryAttempt): object => ({
  id: attempt.id,
  number: attempt.number,
  device_id: attempt.deviceId,
  state: attempt.state,
  parts_sent: attempt.partsSent,
  network_ids: attempt.networkIds,
  outcome: attempt.outcome,
  network_code: attempt.networkCode,
  started_at: rfc3339(attempt.startedAtMs),
  ended_at: rfc3339OrNull(attempt.endedAtMs),
})

const describe = ({ number, deviceId, state, networkIds, networkCode, startedAtMs }: StoryAttempt): string =>
  [
    `attempt ${number}`,
    rfc3339(startedAtMs),
    deviceId,
    state,
    ...(networkCode === null ? [] : [`code ${networkCode}`]),
    ...(networkIds.length === 0 ? [] : [`network IDs ${networkIds.join(' ')}`]),
  ].join('  ')
