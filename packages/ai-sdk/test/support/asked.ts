import {
  type Agent,
  createRunState,
  type ModelCompletion,
  type ModelProvider,
  type ModelStreamChunk,
  type RunConfig,
} from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";

type Request = Parameters<ModelProvider<object>["getCompletion"]>;
type ModelAgent = Request[1];

export interface Asked {
  readonly messages?: readonly RichMessage[];
  readonly agent?: Partial<Omit<ModelAgent, "instructions">> & { readonly instructions?: string };
  readonly config?: Partial<RunConfig<object>>;
}

export const USER: RichMessage = { role: "user", content: "What is new?" };

/** A request as the engine sends it. */
export function request(provider: ModelProvider<object>, asked: Asked = {}): Request {
  const { instructions = "Be brief.", ...agent } = asked.agent ?? {};
  const state = createRunState<object>({
    agentName: "clerk",
    context: {},
    // The engine passes them on as stored.
    messages: (asked.messages ?? [USER]) as readonly Message[],
  });
  const agentRegistry = new Map<string, Agent<object, string>>();
  return [
    state,
    { name: "clerk", instructions: () => instructions, ...agent },
    { agentRegistry, modelProvider: provider, ...asked.config },
  ];
}

export const ask = (provider: ModelProvider<object>, asked?: Asked): Promise<ModelCompletion> =>
  provider.getCompletion(...request(provider, asked));

/** Collects all chunks of a stream. Rejects if the stream does. */
export async function streamed(provider: ModelProvider<object>, asked?: Asked): Promise<ModelStreamChunk[]> {
  const chunks: ModelStreamChunk[] = [];
  for await (const chunk of provider.getCompletionStream?.(...request(provider, asked)) ?? [])
    chunks.push(chunk);
  return chunks;
}
