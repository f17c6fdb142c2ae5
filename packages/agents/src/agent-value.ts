import type { Agent as AgentValue, CacheableConfig, ModelConfig } from "@jaf/core";
import type { Agent } from "./agent.ts";

/** A method that the class doesn't have is a field that the value doesn't have. */
export function agentValue<Context, Output>(agent: Agent<Context, Output>): AgentValue<Context, Output> {
  return {
    name: agent.name(),
    instructions: (state) => agent.instructions(state),
    ...present({
      tools: agent.tools?.(),
      outputCodec: agent.outputCodec?.(),
      handoffs: agent.handoffs?.(),
      modelConfig: modelConfigOf(agent),
      cacheable: agent.cacheable?.() as CacheableConfig | undefined,
      conversational: agent.conversational && ((context) => agent.conversational?.(context)),
      middleware: agent.middleware?.(),
      remembers: agent.remembers && ((context) => agent.remembers?.(context)),
    } satisfies Fields<AgentValue<Context, Output>>),
  };
}

/** All that may be absent. */
type Fields<Value> = {
  readonly [Field in keyof Omit<Required<Value>, "name" | "instructions">]:
    | Required<Value>[Field]
    | undefined;
};

function modelConfigOf<Context, Output>(agent: Agent<Context, Output>): ModelConfig | undefined {
  const name = agent.model?.();
  const modelConfig = agent.modelConfig?.();
  return name === undefined ? modelConfig : { ...modelConfig, name };
}

/** Without the fields that are `undefined`. */
const present = <Value extends object>(fields: Value) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Value]?: Exclude<Value[Field], undefined>;
  };
