import type { Message, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { chooseModel, type Environment } from "../assistant/choose-model.ts";
import { createOfflineModel } from "../assistant/offline-model.ts";
import type { PageContext } from "./page-context.ts";
import { pageRequestOf } from "./page-requests.ts";

const WORD_DELAY_MS = 25;
const NAMES = [
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "ANTHROPIC_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
] as const;

export interface PageModel {
  readonly modelProvider: ModelProvider<PageContext>;
  /** Which one it is, for the person. */
  readonly notice: string;
}

/** The model that the environment names, as in the terminal; without any, the offline assistant, which knows the page's tools. */
export function choosePageModel(environment: Environment): PageModel {
  if (NAMES.some((name) => (environment[name] ?? "") !== "")) {
    const { modelProvider, notice } = chooseModel<PageContext>(environment, { wordDelayMs: 0 });
    return { modelProvider, notice: notice.replace(/ \/help .*$/s, "") };
  }
  return {
    modelProvider: withPageRequests(
      createOfflineModel<PageContext>({ wordDelayMs: WORD_DELAY_MS, surface: "page" }),
    ),
    notice: "No model is configured, so JAF's offline assistant answers, by fixed rules.",
  };
}

/** Answers what asks for the page's own tools, and leaves the rest to the model. */
function withPageRequests(model: ModelProvider<PageContext>): ModelProvider<PageContext> {
  return {
    getCompletion: async (...request) => {
      const call = callIn(request[0].messages);
      return call === undefined
        ? model.getCompletion(...request)
        : { message: { content: "", tool_calls: [{ type: "function", ...call }] } };
    },
    getCompletionStream: async function* (...request): AsyncGenerator<ModelStreamChunk> {
      const call = callIn(request[0].messages);
      if (call === undefined) {
        yield* model.getCompletionStream?.(...request) ?? [];
        return;
      }
      yield { type: "tool_call_delta", index: 0, id: call.id, ...call.function };
      yield { type: "done" };
    },
  };
}

function callIn(messages: readonly Message[]) {
  const last = messages.at(-1);
  const request = last?.role === "user" ? pageRequestOf(textOf(last)) : undefined;
  if (request === undefined) return undefined;
  return {
    // Unique within the conversation, and the same again when a cut-off reply is made anew.
    id: `call_${messages.length}_0`,
    function: { name: request.tool, arguments: JSON.stringify(request.args) },
  };
}

/** What was said, without what was added to it for this turn. */
function textOf({ content }: Message): string {
  const loose: unknown = content;
  if (typeof loose === "string") return loose;
  if (!Array.isArray(loose)) return "";
  const parts = loose as readonly {
    readonly type?: unknown;
    readonly text?: unknown;
    readonly transient?: unknown;
  }[];
  return parts
    .flatMap(({ type, text, transient }) =>
      type === "text" && typeof text === "string" && transient !== true ? [text] : [],
    )
    .join("\n");
}
