import type { ConnectorKind, Submission, Link } from '../../src/connectors/connector.ts'
import { simulatorKind } from '../../src/connectors/simulator/simulator.ts'

/** Simulators of which those named `dev_short…` join three parts; `submitted` hears what each is handed. */
export const shortSimulatorKind = (
  submitted: (deviceId: string, parts: number) => void = () => undefined,
): ConnectorKind => ({
  ...simulatorKind,
  createLink(setup, tools, events) {
    const link = simulatorKind.createLink(setup, tools, events)
    const maxParts = setup.id.startsWith('dev_short') ? 3 : 10
    const submit = (submission: Submission) => {
      submitted(setup.id, submission.parts)
      return link.submit(submission)
    }
    return Object.create(link, {
      capabilities: { value: { ...link.capabilities, maxParts } },
      window: { value: link.window },
      health: { value: () => link.health() },
      start: { value: () => link.start() },
      stop: { value: () => link.stop() },
      submit: { value: submit },
    }) as Link
  },
})
