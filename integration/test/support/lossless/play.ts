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
import { createOpaqueValues, type OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { createAgents } from "./agents.ts";
import type { LosslessBackend, StoreConnection } from "./backends.ts";
import { shownTo } from "./browser.ts";
import type { Plan, PlannedTurn } from "./plan.ts";
import { type Findings, type Services, startServices } from "./services.ts";

export interface Played extends Findings {
  readonly name: string;
  /** How many opaque values were given with replies that count. */
  readonly given: number;
  /** Those of them that the store doesn't hold, byte for byte. */
  readonly lost: readonly string[];
  /** What else went otherwise than planned. */
  readonly wrong: readonly string[];
}

/** Plays a conversation, and looks at what the services got and at what is stored in the end. */
export async function play(plan: Plan, backend: LosslessBackend): Promise<Played> {
  const script = openScript(plan);
  const services = await startServices(script);
  const conversation = await openConversation(plan, backend, services);
  const wrong: string[] = [];
  try {
    for (const [index, turn] of plan.turns.entries()) {
      const fault = await conversation.take(turn);
      if (fault === undefined) continue;
      wrong.push(`turn ${index} of ${turn.modelOverride ?? turn.agent}: ${fault}`);
      break; // What was planned for later builds on it.
    }
    const stored = await conversation.messages();
    wrong.push(...differencesFrom(plan, stored, wrong.length > 0));
    const text = JSON.stringify(stored);
    const given = script.given();
    const lost = given.filter((value) => !text.includes(value));
    return { name: plan.name, ...services.findings(), given: given.length, lost, wrong };
  } finally {
    await conversation.close();
    await services.close();
  }
}

interface Script {
  readonly next: (request: object) => ScriptedReply;
  readonly opaque: OpaqueValues;
  /** The opaque values of all replies but summaries, which aren't kept. */
  readonly given: () => readonly string[];
}

/** Whoever is asked says the next reply; whoever has no tools is asked for a summary. */
function openScript({ turns }: Plan): Script {
  const replies = turns.flatMap((turn) => turn.replies);
  const opaque = createOpaqueValues();
  const given: string[] = [];
  let next = 0;
  let summaries = 0;
  let isSummary = false;
  return {
    next: (request) => {
      isSummary = !("tools" in request);
      if (isSummary) return { thoughts: ["In short."], text: `Summary ${++summaries}.` };
      const reply = replies[next++];
      if (reply === undefined) throw new Error("nothing is left to say");
      return reply;
    },
    opaque: {
      ...opaque,
      issue: (owner, content) => {
        const value = opaque.issue(owner, content);
        if (!isSummary) given.push(value);
        return value;
      },
    },
    given: () => given,
  };
}

interface Process {
  readonly store: StoreConnection;
  readonly modelProvider: ModelProvider<unknown>;
}

async function openConversation(plan: Plan, backend: LosslessBackend, services: Services) {
  const agentRegistry = createAgents(plan);
  let conversationId: string = crypto.randomUUID();
  let process = await start();

  async function start(): Promise<Process> {
    return { store: await backend.connect(), modelProvider: services.connect() };
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
  /** The history goes as JSON into another conversation, and that goes on. */
  async function importAnew(): Promise<void> {
    const parsed = parseMessages(JSON.parse(JSON.stringify(await messages())));
    if (!parsed.success) throw new Error(parsed.error.message);
    await restart();
    if (parsed.data.length === 0) return;
    conversationId = crypto.randomUUID();
    const stored = await process.store.provider.storeMessages(conversationId, parsed.data);
    if (!stored.success) throw new Error(stored.error.message);
  }
  async function runOnce(turn: PlannedTurn, given: Partial<RunConfig<unknown>>, said: readonly Message[]) {
    const config: RunConfig<unknown> = {
      agentRegistry,
      modelProvider: process.modelProvider,
      modelRetry: { maxAttempts: 1 },
      memory: { ...plan.memory, provider: process.store.provider, autoStore: true },
      conversationId,
      ...(turn.modelOverride === undefined ? {} : { modelOverride: turn.modelOverride }),
      ...given,
    };
    const state = createRunState<unknown>({ agentName: turn.agent, context: {}, messages: said });
    return turn.isStreamed ? runStream(state, config).result : run(state, config);
  }
  /** What went wrong, if anything did. */
  async function take(turn: PlannedTurn): Promise<string | undefined> {
    if (turn.before === "restart") await restart();
    if (turn.before === "import") await importAnew();
    const said: readonly Message[] = [{ role: "user", content: turn.said }];
    let ended = turn.isFromBrowser
      ? await runOnce(turn, { continuation: [...shownTo(await messages()), ...said] }, [])
      : await runOnce(turn, {}, said);
    while (ended.outcome.status === "interrupted") {
      const { interruptions } = ended.outcome;
      await restart();
      const approvals = interruptions.flatMap((waiting) =>
        waiting.type === "approval" ? [approve(waiting)] : [],
      );
      ended = await runOnce({ ...turn, agent: ended.finalState.currentAgentName }, { approvals }, []);
    }
    return faultOf(ended, turn);
  }
  return { take, messages, close: () => process.store.close() };
}

function faultOf({ outcome }: RunResult<unknown>, { replies }: PlannedTurn): string | undefined {
  if (outcome.status !== "completed")
    return outcome.status === "error" ? JAFErrorHandler.format(outcome.error) : outcome.status;
  const last = replies.at(-1)?.text;
  return outcome.output === last ? undefined : `the output isn't what was said last`;
}

/** Every reply is stored, in order, with its text and its calls. */
function differencesFrom({ turns }: Plan, stored: readonly Message[], isCut: boolean): readonly string[] {
  const replies = turns.flatMap((turn) => turn.replies);
  const kept = stored.filter(({ role }) => role === "assistant");
  if (kept.length !== replies.length && !isCut)
    return [`${kept.length} of ${replies.length} replies are stored`];
  return kept.flatMap((message, index) => {
    const names = (message.tool_calls ?? []).map((call) => call.function.name);
    const expected = (replies[index]?.calls ?? []).map(({ name }) => name);
    return names.join() === expected.join() ? [] : [`reply ${index} has other calls`];
  });
}
