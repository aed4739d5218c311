import { useEffect, useEffectEvent, useState } from 'react'
import type { LiveTopic } from '../../../src/api/console/live-feed.ts'
import { addressOf } from './call.ts'
import { useAccountPlace } from './place.ts'

type Listener = (event: unknown) => void

/** One stream for each account and mode, shared by everything on the page that listens. */
const open = new Map<
  string,
  { source: EventSource; listeners: Map<LiveTopic, Set<Listener>>; users: number }
>()

/** Calls `hear` with what the server tells of a topic while the component is shown. */
export function useLive(topic: LiveTopic, hear: Listener): void {
  const { accountId, mode } = useAccountPlace()
  const heard = useEffectEvent(hear)
  useEffect(() => {
    const address = addressOf('live', { accountId, mode }, {})
    const stream = open.get(address) ?? start(address)
    stream.users += 1
    const listener: Listener = (event) => heard(event)
    const listeners = stream.listeners.get(topic) ?? listen(stream, topic)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      stream.users -= 1
      if (stream.users > 0) return
      stream.source.close()
      open.delete(address)
    }
  }, [accountId, mode, topic])
}

/** Whether the stream of this page stands: what is shown may be old while it does not. */
export function useIsLive(): boolean {
  const { accountId, mode } = useAccountPlace()
  const [isLive, setIsLive] = useState(true)
  useEffect(() => {
    const source = open.get(addressOf('live', { accountId, mode }, {}))?.source
    if (source === undefined) return
    const look = (): void =>
      setIsLive(source.readyState !== EventSource.CLOSED && source.readyState === EventSource.OPEN)
    source.addEventListener('open', look)
    source.addEventListener('error', look)
    return () => {
      source.removeEventListener('open', look)
      source.removeEventListener('error', look)
    }
  }, [accountId, mode])
  return isLive
}

function start(address: string) {
  const stream = {
    source: new EventSource(address),
    listeners: new Map<LiveTopic, Set<Listener>>(),
    users: 0,
  }
  open.set(address, stream)
  return stream
}

function listen(stream: ReturnType<typeof start>, topic: LiveTopic): Set<Listener> {
  const listeners = new Set<Listener>()
  stream.listeners.set(topic, listeners)
  stream.source.addEventListener(topic, (event: MessageEvent<string>) => {
    const told: unknown = JSON.parse(event.data)
    for (const listener of listeners) listener(told)
  })
  return listeners
}
