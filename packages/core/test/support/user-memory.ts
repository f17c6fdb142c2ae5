import { type Agent, type RemembersSpec, type RunConfig, type RunUserMemory, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { recorder } from "./middleware.ts";
import { says, setup } from "./setup.ts";

/** A user memory that records its declarations. Its middleware adds the user's name. */
export function memoryOf(label = "facts") {
  const asked: RemembersSpec[] = [];
  const recorded = recorder();
  const memory: RunUserMemory = {
    middlewareFor: (spec) => {
      asked.push(spec);
      return [
        recorded.middleware,
        { name: "facts", onStart: () => ({ instructions: `${label} of ${spec.user}` }) },
      ];
    },
  };
  return { memory, asked, started: recorded.started, finished: recorded.finished };
}

export interface Declared {
  readonly agent?: Agent<unknown, unknown>["remembers"];
  readonly call?: RunConfig<unknown>["remembers"];
  readonly userMemory?: RunUserMemory;
}

/** The model's instructions, and how the run ended. */
export async function told({ agent, call, userMemory }: Declared) {
  const model = createScriptedModel(["Hello."]);
  const { config, events } = setup({
    model,
    agent: agent === undefined ? {} : { remembers: agent },
    config: {
      ...(call === undefined ? {} : { remembers: call }),
      ...(userMemory === undefined ? {} : { userMemory }),
    },
  });
  const result = await run(says("Hi"), config);
  return { instructions: model.requests[0]?.instructions, result, events };
}

/** A declaration that throws an error that quotes the user. */
export const failing = () => {
  throw Object.assign(new Error("the user said: secret"), { code: "E_SESSION" });
};
