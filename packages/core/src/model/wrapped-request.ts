import { present } from "@jaf/memory/engine";
import * as z from "zod";
import type { RunScope } from "../engine/run-scope.ts";
import { overlay } from "../immutable/overlay.ts";
import type { RunState } from "../state.ts";
import { agentLimitFault } from "../timing/limits.ts";
import type { ModelCall } from "./call-with-retries.ts";
import type { ModelCallChanges, ModelCallRequest } from "./model-call-request.ts";
import { settingsFault, settingsShown } from "./settings.ts";

interface Seen<Ctx> {
  readonly state: RunState<Ctx>;
  readonly signal: AbortSignal;
}

/** What the first hook gets. */
export function requestOf<Ctx>(
  { config }: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { state, signal }: Seen<Ctx>,
): ModelCallRequest<Ctx> {
  const { agent } = call;
  const model = config.modelOverride ?? agent.modelConfig?.name;
  return Object.freeze({
    state,
    agentName: call.state.currentAgentName,
    instructions: agent.instructions(call.state),
    messages: call.state.messages,
    tools: Object.freeze((agent.tools ?? []).map(({ schema }) => schema.name)),
    modelConfig: agent.modelConfig ?? Object.freeze({}),
    ...present({ model }),
    signal,
  });
}

const changesSchema = z.strictObject({
  instructions: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).optional(),
  tools: z.array(z.string()).optional(),
  modelConfig: z.looseObject({}).optional(),
  model: z.string().min(1).optional(),
});

/** Throws a `TypeError` into the hook for what are no changes. */
export function changed<Ctx>(
  request: ModelCallRequest<Ctx>,
  changes: ModelCallChanges | undefined,
): ModelCallRequest<Ctx> {
  if (changes === undefined) return request;
  const parsed = changesSchema.safeParse(changes);
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join(".") || "the whole");
    throw new TypeError(`Invalid changes of a model call: ${paths.join(", ")}`);
  }
  const given: ModelCallChanges = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  );
  const next = { ...request, ...given };
  const { messages, tools, modelConfig } = next;
  const fault =
    settingsFault(modelConfig, (name) => tools.includes(name)) ?? agentLimitFault<Ctx>({ modelConfig });
  if (fault !== undefined) throw new TypeError(`Invalid changes of a model call: ${fault}`);
  return Object.freeze({
    ...next,
    messages: Object.freeze([...messages]),
    tools: Object.freeze([...tools]),
  });
}

/** What a model is asked for what the hooks have made of the request. */
export function callFor<Ctx>(
  { state, agent, emitContext }: ModelCall<Ctx>,
  { instructions, messages, tools, modelConfig }: ModelCallRequest<Ctx>,
): ModelCall<Ctx> {
  const offered = agent.tools?.filter(({ schema }) => tools.includes(schema.name));
  const changes = offered === undefined ? {} : { tools: Object.freeze(offered) };
  return {
    state: Object.freeze({ ...state, messages }),
    agent: Object.freeze(
      overlay(agent, {
        ...changes,
        instructions: () => instructions,
        modelConfig: settingsShown(modelConfig, messages),
      }),
    ),
    emitContext,
  };
}
