import { createInMemoryProvider, present } from "@jaf/memory/internal";
import type { TraceEvent } from "../events.ts";
import type { MemoryConfig } from "../memory-config.ts";
import type { RunConfig } from "../run-config.ts";
import { callObserver } from "../thrown.ts";
import type { ClientMemoryConfig, ClientSettings } from "./config.ts";
import type { OpenConversation } from "./conversation.ts";
import type { PromptOptions } from "./options.ts";
import type { ParsedPrompt } from "./parse-prompt.ts";

interface RunParts<Ctx> {
  readonly parsed: ParsedPrompt<Ctx>;
  readonly options: PromptOptions<Ctx>;
  /** The stored conversation. Absent if nothing is stored. */
  readonly conversation: OpenConversation | undefined;
  readonly validate: RunConfig<Ctx>["validate"];
  readonly signal: AbortSignal | undefined;
}

/** Returns the run's configuration for a prompt. */
export function runConfigOf<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  { parsed, options, conversation, validate, signal }: RunParts<Ctx>,
): RunConfig<Ctx> {
  const onEvent = observerOf(settings, options);
  const { memory: remembers, cache } = options;
  const common = {
    ...settings.run,
    ...present({ resume: parsed.resume }),
    ...(remembers === undefined ? {} : { remembers: remembers || (false as const) }),
    ...present({ cache, onEvent, signal }),
  };
  const { historyLimit } = parsed;
  if (conversation === undefined) return { ...common, ...windowAlone(settings.memory, historyLimit) };
  return {
    ...common,
    conversationId: conversation.conversationId,
    memory: storedMemory(settings.memory, conversation, historyLimit),
    ...present({ validate }),
  };
}

type Window = Pick<ClientMemoryConfig, "window">;

const windowOf = ({ window }: Window, historyLimit: number | undefined): Window => {
  if (historyLimit !== undefined) {
    return { window: { memoryType: "message_window", maxMessages: historyLimit } };
  }
  return present({ window });
};

function storedMemory(
  memory: ClientMemoryConfig,
  { provider, userId }: OpenConversation,
  historyLimit: number | undefined,
): MemoryConfig {
  return {
    ...memory,
    ...windowOf(memory, historyLimit),
    ...present({ userId }),
    provider,
    autoStore: true,
  };
}

/** Returns the memory settings of a run that stores nothing: only the window is used. */
function windowAlone(
  memory: ClientMemoryConfig,
  historyLimit: number | undefined,
): { readonly memory?: MemoryConfig } {
  const shown = windowOf(memory, historyLimit);
  if (shown.window === undefined) return {};
  return { memory: { ...shown, provider: createInMemoryProvider(), autoStore: false } };
}

type Observer = (event: TraceEvent) => void;

/** Returns an observer that calls the agent client's observer, then the prompt's observer. */
export function observerOf<Ctx, Out>(
  { run: { onEvent: first } }: ClientSettings<Ctx, Out>,
  options: PromptOptions<Ctx>,
): Observer | undefined {
  const second = options.onEvent === undefined ? undefined : options.onEvent.bind(options);
  if (first === undefined || second === undefined) return first ?? second;
  return (event) => {
    for (const observer of [first, second]) {
      callObserver(
        () => observer(event),
        () => `onEvent failed on "${event.type}"; the run continues.`,
      );
    }
  };
}
