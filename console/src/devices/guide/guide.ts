import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type GuideFacts,
  guideSteps,
  type GuideStep,
  noGuideFacts,
  stepToDo,
} from '../../../../src/devices/phones/connect-guide.ts'
import { cableAddress, type GuideWay } from '../../../../src/devices/phones/guide-words.ts'
import type { InputOf } from '../../../../src/api/console/calls.ts'
import { useLive } from '../../api/live.ts'
import { useCall } from '../../api/use-call.ts'

/** Which phone and which test SMS the guide is about, as far as they exist. */
export type GuideSubject = InputOf<'devices/guide'>

/** What the user types for the Local Server of a phone. It stays while a try fails. */
export interface LocalLogin {
  address: string
  user: string
  password: string
}

export interface Guide {
  facts: GuideFacts
  steps: GuideStep[]
  toDo: GuideStep | null
  /** Every account can use the phone. */
  isShared: boolean
  login: LocalLogin
  setLogin: (login: LocalLogin) => void
  setShared: (isShared: boolean) => void
  chooseWay: (way: GuideWay) => void
  /** Adds what was chosen or tried. */
  note: (facts: Partial<GuideFacts>) => void
  follow: (subject: Partial<GuideSubject>) => void
}

/** The state of a guided connect: what the user chose and tried here, and what the server knows, live. */
export function useGuide(): Guide {
  const [own, setOwn] = useState<Partial<GuideFacts>>({})
  const [subject, setSubject] = useState<GuideSubject>({ tokenId: null, deviceId: null, messageId: null })
  const [isShared, setShared] = useState(false)
  const [login, setLogin] = useState<LocalLogin>({ address: '', user: 'sms', password: '' })
  const isBegun = subject.tokenId !== null || subject.deviceId !== null
  const { data } = useCall('devices/guide', subject, { keepsPrevious: true, enabled: isBegun })
  const client = useQueryClient()
  useLive(['devices', 'messages'], () => void client.invalidateQueries({ queryKey: ['devices/guide'] }))
  const facts: GuideFacts = { ...noGuideFacts, ...own, ...(isBegun ? data : null) }
  const steps = guideSteps(facts)
  const note = (more: Partial<GuideFacts>): void => setOwn((before) => ({ ...before, ...more }))
  return {
    facts,
    steps,
    toDo: stepToDo(steps),
    isShared,
    login,
    setLogin,
    setShared,
    note,
    chooseWay(way) {
      if (way === 'cable') setLogin((before) => ({ ...before, address: cableAddress }))
      note({ way })
    },
    follow: (more) => setSubject((before) => ({ ...before, ...more })),
  }
}
