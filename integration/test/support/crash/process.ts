import {
  type ApprovalDecision,
  type ClientToolResult,
  createRunState,
  type MemoryConfig,
  type RunConfig,
  type RunResult,
  run,
} from "@jaf/core";
import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import { createAgents } from "./agents.ts";
import type { Ledger } from "./ledger.ts";
import { createModel, type Script } from "./model.ts";
import type { Mortal } from "./saboteur.ts";
import { watchStore } from "./watched-store.ts";

/** The client's decisions about waiting calls. */
export interface Given {
  readonly approvals?: readonly ApprovalDecision[];
  readonly toolResults?: readonly ClientToolResult[];
}

export interface ProcessOptions {
  readonly store: VersionedMemoryProvider;
  readonly ledger: Ledger;
  readonly script: Script;
  readonly mortal: Mortal;
  readonly conversationId: string;
  readonly memory: Omit<MemoryConfig, "provider" | "autoStore">;
}

/** Does one run in its own process, which shares only the store with the others. */
export function runInProcess(
  { store, ledger, script, mortal, conversationId, memory }: ProcessOptions,
  { says, given }: { readonly says: readonly string[]; readonly given: Given },
): Promise<RunResult<unknown>> {
  const { approvals = [] } = given;
  const callIds = approvals.flatMap(({ approved, toolCallId }) => (approved ? [toolCallId] : []));
  ledger.note({ type: "approved", callIds });
  const complete = createModel(script, (messages) => ledger.note({ type: "sent", messages }));
  const handed = new Set(approvals.map(({ toolCallId }) => toolCallId));
  const config: RunConfig<unknown> = {
    agentRegistry: createAgents({ ledger, mortal, handed }),
    modelProvider: {
      getCompletion: (...request) => mortal.call({ label: "model", on: "model" }, () => complete(...request)),
    },
    modelRetry: { baseDelayMs: 0 },
    signal: mortal.signal,
    memory: {
      ...memory,
      provider: watchStore({ store, ledger, mortal }),
      autoStore: true,
      summary: {
        summarize: ({ messages }) =>
          mortal.call({ label: "summarize", on: "model" }, async () => `${messages.length} messages`),
      },
    },
    conversationId,
    resume: given,
  };
  const messages = says.map((content): Message => ({ role: "user", content }));
  return run(createRunState<unknown>({ agentName: "helper", context: {}, messages }), config);
}
