import {
  approve,
  createRunState,
  JAFErrorHandler,
  type ModelProvider,
  type RunConfig,
  type RunResult,
  run,
  runStream,
} from "@jaf/core";
import { type Message, parseMessages } from "@jaf/memory";
import { createAgents } from "./agents.ts";
import type { LosslessBackend, StoreConnection } from "./backends.ts";
import { sentBack } from "./browser.ts";
import type { Plan, PlannedTurn } from "./plan.ts";

export interface Conversation {
  /** Plays a turn to its end. Resolves to the failure, if any. */
  readonly take: (turn: PlannedTurn) => Promise<string | undefined>;
  readonly messages: () => Promise<readonly Message[]>;
  readonly close: () => Promise<void>;
}

interface ConversationOptions {
  readonly plan: Plan;
  readonly backend: LosslessBackend;
  /** Those of a new process. */
  readonly connectModels: () => ModelProvider<unknown>;
}

interface Process {
  readonly store: StoreConnection;
  readonly modelProvider: ModelProvider<unknown>;
}

type Given = Pick<RunConfig<unknown>, "signal" | "resume">;

/** A conversation whose process sometimes ends and loses its state, and whose history moves to another conversation. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { plan, backend, connectModels } = options;
  /** The number of tools that can still begin before the process dies, and the controller that kills it. */
  let death: { tools: number; readonly killer: AbortController } | undefined;
  const agentRegistry = createAgents(plan, () => {
    if (death !== undefined && --death.tools === 0) death.killer.abort();
  });
  let conversationId: string = crypto.randomUUID();
  let process = await start();

  async function start(): Promise<Process> {
    return { store: await backend.connect(), modelProvider: connectModels() };
  }
  async function restart(): Promise<void> {
    await process.store.close();
    process = await start();
  }
  async function messages(): Promise<readonly Message[]> {
    const loaded = await process.store.provider.getConversation(conversationId);
    if (!loaded.success) throw new Error(loaded.error.message);
    return loaded.data?.messages ?? [];
  }
  /** Copies the history as JSON to another conversation, which is then continued. */
  async function importAgain(): Promise<void> {
    const parsed = parseMessages(JSON.parse(JSON.stringify(await messages())));
    if (!parsed.success) throw new Error(parsed.error.message);
    await restart();
    if (parsed.data.length === 0) return;
    conversationId = crypto.randomUUID();
    const stored = await process.store.provider.storeMessages(conversationId, parsed.data);
    if (!stored.success) throw new Error(stored.error.message);
  }
  async function runOnce(turn: PlannedTurn, given: Given, says: boolean): Promise<RunResult<unknown>> {
    const config: RunConfig<unknown> = {
      agentRegistry,
      modelProvider: process.modelProvider,
      modelRetry: { maxAttempts: 1 },
      // The tool of an aborted run may still store its result when the next run begins.
      memory: { ...plan.memory, provider: process.store.provider, autoStore: true, concurrency: "queue" },
      conversationId,
      ...(turn.modelOverride === undefined ? {} : { modelOverride: turn.modelOverride }),
      ...given,
    };
    const said = says ? [userMessage(turn)] : [];
    const state = createRunState<unknown>({ agentName: turn.agent, context: {}, messages: said });
    return turn.isStreamed ? runStream(state, config).result : run(state, config);
  }
  /** Approves waiting calls, each time in another process, until none waits. */
  async function settle(turn: PlannedTurn, first: RunResult<unknown>, signal?: AbortSignal) {
    let ended = first;
    while (ended.outcome.status === "interrupted") {
      const approvals = ended.outcome.interruptions.flatMap((waiting) =>
        waiting.type === "approval" ? [approve(waiting)] : [],
      );
      await restart();
      const given = signal === undefined ? { resume: { approvals } } : { resume: { approvals }, signal };
      ended = await runOnce({ ...turn, agent: ended.finalState.currentAgentName }, given, false);
    }
    return ended;
  }
  async function take(turn: PlannedTurn): Promise<string | undefined> {
    if (turn.before === "restart") await restart();
    if (turn.before === "import") await importAgain();
    const killer = new AbortController();
    const { signal } = killer;
    death = turn.diesAtTool === undefined ? undefined : { tools: turn.diesAtTool, killer };
    const begun =
      turn.sentAs === "said"
        ? await runOnce(turn, { signal }, true)
        : await runOnce(turn, { signal, resume: { messages: sentBack(await messages(), turn) } }, false);
    let ended = await settle(turn, begun, signal);
    if (signal.aborted) {
      death = undefined;
      await restart();
      const later = { ...turn, agent: ended.finalState.currentAgentName };
      ended = await settle(later, await runOnce(later, {}, false));
    }
    return faultOf(ended, turn);
  }
  return { take, messages, close: () => process.store.close() };
}

const userMessage = ({ said }: PlannedTurn) => ({ role: "user", content: said }) as const;

function faultOf({ outcome }: RunResult<unknown>, { replies }: PlannedTurn): string | undefined {
  if (outcome.status !== "completed")
    return outcome.status === "error" ? JAFErrorHandler.format(outcome.error) : outcome.status;
  return outcome.output === replies.at(-1)?.text ? undefined : "the output isn't the last reply";
}
