import { createTool, type ModelProvider } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import type { RichMessage } from "@jaf/memory";
import * as z from "zod";
import { assistant, startTestServer } from "./test-server.ts";

export type ServerOptions = NonNullable<Parameters<typeof startTestServer>[1]>;

/** A call of the client's tool. */
export const looks = { toolCalls: [{ name: "look", arguments: {} }] };

/** Starts a server whose agent has a tool of the client. `sent`: the messages of each call of the model. */
export async function startRecordingServer(
  steps: Parameters<typeof createScriptedModel>[0],
  options: ServerOptions = {},
) {
  const scripted = createScriptedModel<unknown>(steps);
  const sent: (readonly RichMessage[])[] = [];
  const model: ModelProvider<unknown> = {
    getCompletion: (state, ...rest) => {
      sent.push(state.messages);
      return scripted.getCompletion(state, ...rest);
    },
  };
  const look = createTool({ name: "look", description: "Looks.", parameters: z.object({}) });
  const server = await startTestServer(model, options, [{ ...assistant, tools: [look] }]);
  return { ...server, sent };
}
