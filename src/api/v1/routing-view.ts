import { type Static, type TProperties, Type } from 'typebox'
import { type ExplainedStage, verdicts } from '../../dispatch/routes/explain-route.ts'
import type { SendRouting } from '../../sending/explain-send.ts'
import { orNull } from '../../runtime/schemas.ts'

const Verdicts = {
  verdict: Type.String({
    description: `What the device is for the message: ${verdicts.map((verdict) => `\`${verdict}\``).join(', ')}; an open list.`,
  }),
  says: Type.String({ description: 'Description for people.' }),
}

/** Returns the schema of a stage whose devices have these members, and a verdict. */
export const stageSchemaOf = <Device extends TProperties>(device: Device) =>
  Type.Object(
    {
      opens: orNull<string>('string', 'What opens the stage, in words; null for the first one.'),
      open: Type.Boolean({ description: 'Whether it is open now.' }),
      devices: Type.Array(
        Type.Object({ ...device, ...Verdicts }, { description: 'A device of the stage.' }),
        { description: 'Devices of the stage.' },
      ),
    },
    { description: 'A stage of the way.' },
  )

/** Returns the schema of the first rule that matches a message. */
export const ruleSchemaOf = (description: string) =>
  Type.Unsafe<{ id: string; name: string } | null>({
    type: ['object', 'null'],
    description,
    required: ['id', 'name'],
    properties: {
      id: { type: 'string', description: 'Rule ID.' },
      name: { type: 'string', description: 'Name of the rule.' },
    },
  })

const StageSchema = stageSchemaOf({
  id: Type.String({ description: 'Device ID; `shared` for the shared devices of the operator.' }),
})

/** A stage as an account may see it. */
export type RoutedStage = Static<typeof StageSchema>

/** Which way recipients of a send go, and why. */
export const RoutingSchema = Type.Object(
  {
    recipients: Type.Array(Type.String(), { description: 'Numbers that go this way.' }),
    rule: ruleSchemaOf('The first rule that matches; null without one, and with `via`.'),
    stages: Type.Array(StageSchema, { description: 'Stages of the way, in order.' }),
  },
  { description: 'A way, and the numbers that go it.' },
)

/** Renders a way as its account may see it: shared devices have no ID of their own, and rules of the operator no name. */
export const renderRouting = ({ recipients, rule, stages }: SendRouting): Static<typeof RoutingSchema> => ({
  recipients,
  rule:
    rule === null
      ? null
      : { id: rule.id, name: rule.accountId === null ? 'A rule of the operator' : rule.name },
  stages: stages.map(renderStage),
})

/** Renders a stage as an account may see it. Of its shared devices the one that comes first speaks for all. */
export function renderStage({ opens, isOpen, devices }: ExplainedStage): RoutedStage {
  const own = devices.filter(({ isShared }) => !isShared)
  const first = devices
    .filter(({ isShared }) => isShared)
    .toSorted((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict))[0]
  const seen = [...own, ...(first === undefined ? [] : [{ ...first, id: 'shared' }])]
  return { opens, open: isOpen, devices: seen.map(({ id, verdict, says }) => ({ id, verdict, says })) }
}
