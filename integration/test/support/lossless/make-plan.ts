import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { below, pick, type Random, randomNumbers } from "../random.ts";
import { AGENTS } from "./agents.ts";
import type { Plan, PlannedTurn } from "./plan.ts";
import { type Family, familyOf } from "./services.ts";
import type { Spoken, SpokenStep, SpokenTurn } from "./spoken.ts";

/** Models of most services. Most of them aren't the model of an agent. */
const OVERRIDES = ["gpt-5-mini", "gemini-3-flash-preview", "claude-sonnet-5-5", "deepseek-reasoner"];

/** Whether a model accepts the agent's options. A newer model can refuse those of an older one of the same service. */
const takes = (model: string | undefined, agent: string): boolean =>
  agent !== "olderClaude" || model?.startsWith("claude") !== true;

const overridesOf = (agent: string) => OVERRIDES.filter((model) => takes(model, agent));

/** Its earlier content must not change, so it is the only agent of its conversation. */
const ALONE = "boundClaude";
const MIXED = Object.keys(AGENTS).filter((name) => name !== ALONE);

/**
 * The agents, their thinking and the events, the same for the same seed. One of six conversations uses only the model whose
 * earlier content must not change, so it has neither window nor summary.
 */
export function makePlan(spoken: Spoken, seed: number): Plan {
  const random = randomNumbers(seed);
  const isBound = below(random, 6) === 0;
  const texts = uniqueTexts();
  let agent = isBound ? ALONE : pick(random, MIXED);
  const turns = spoken.turns.map((turn) => {
    if (!isBound && below(random, 2) === 0) agent = pick(random, MIXED);
    const planned = planTurn(turn, { random, agent, isBound, unique: texts });
    agent = planned.endsWith;
    return planned.turn;
  });
  const { name, tools, approvals, results } = spoken;
  const memory = memoryFor(random, isBound);
  return { name, turns: turns.map(dying(random, memory)), tools, approvals, results, memory };
}

/** Another process can only continue in the middle of a turn if each step is durable. */
const dying =
  (random: Random, { durability }: Plan["memory"]) =>
  (turn: PlannedTurn): PlannedTurn => {
    const calls = turn.replies.flatMap((reply) => reply.calls ?? []).filter(({ name }) => name !== "handoff");
    const dies = durability === "step" && calls.length > 0 && below(random, 3) === 0;
    return dies ? { ...turn, diesAtTool: 1 + below(random, calls.length) } : turn;
  };

function memoryFor(random: Random, isBound: boolean): Plan["memory"] {
  const durability = pick(random, ["step", "turn", "completed"] as const);
  const kind = isBound ? 3 : below(random, 4);
  if (kind === 0) return { durability, window: { maxMessages: 6 + below(random, 10) } };
  if (kind === 1) {
    const maxTokens = 6_000 + below(random, 6_000);
    return {
      durability,
      window: { memoryType: "token_window", maxTokens, trimTo: Math.ceil(maxTokens / 2) },
    };
  }
  return kind === 2 ? { durability, compressionThreshold: 6 + below(random, 10) } : { durability };
}

interface TurnOptions {
  readonly random: Random;
  readonly agent: string;
  readonly isBound: boolean;
  readonly unique: (text: string) => string;
}

function planTurn(
  { said, steps }: SpokenTurn,
  { random, agent: first, isBound, unique }: TurnOptions,
): { readonly turn: PlannedTurn; readonly endsWith: string } {
  const modelOverride = !isBound && below(random, 8) === 0 ? pick(random, overridesOf(first)) : undefined;
  const handoffAt = !isBound && below(random, 3) === 0 ? below(random, steps.length) : -1;
  const replies: ScriptedReply[] = [];
  let agent = first;
  const say = (step: SpokenStep) => {
    const model = modelOverride ?? AGENTS[agent]?.name ?? "";
    const { text, calls } = step;
    replies.push({
      ...thinkingFor(random, { model, agent, step }),
      ...(text === undefined ? {} : { text: unique(text) }),
      ...(calls.length === 0 ? {} : { calls }),
    });
  };
  for (const [index, step] of steps.entries()) {
    if (index === handoffAt) {
      const others = MIXED.filter((name) => name !== agent && takes(modelOverride, name));
      const agentName = pick(random, others);
      say({ calls: [{ name: "handoff", input: { agentName, message: "Go on." } }] });
      agent = agentName;
    }
    say(step);
  }
  const turn: PlannedTurn = {
    said,
    agent: first,
    ...(modelOverride === undefined ? {} : { modelOverride }),
    replies,
    isStreamed: below(random, 2) === 0,
    sentAs: pick(random, ["said", "said", "messages", "uiMessages"] as const),
    before: pick(random, ["nothing", "restart", "restart", "import"] as const),
  };
  return { turn, endsWith: agent };
}

/** The services with their own search in these tests. */
const SEARCHING: ReadonlySet<Family> = new Set(["anthropic", "openai", "own-gemini", "responses"]);

interface Speaker {
  readonly model: string;
  readonly agent: string;
  readonly step: SpokenStep;
}

function thinkingFor(
  random: Random,
  { model, agent, step }: Speaker,
): Pick<ScriptedReply, "thoughts" | "searches"> {
  const family = familyOf(model);
  const isReadable = family === "deepseek" || family === "openrouter";
  // These always think.
  const least = family === "deepseek" || agent === "olderClaude" || agent === "directOlder" ? 1 : 0;
  const thoughts = Array.from({ length: least + below(random, 3 - least) }, (_, index) =>
    !isReadable && below(random, 4) === 0 ? "" : `Thought ${index} of ${below(random, 1_000_000)}. “So…”`,
  );
  const query = `query ${below(random, 1_000_000)}`;
  const wants = below(random, 4) === 0;
  const isSearching = wants && step.text !== undefined && SEARCHING.has(family);
  return {
    ...(thoughts.length === 0 ? {} : { thoughts }),
    ...(isSearching ? { searches: [query] } : {}),
  };
}

/** Adds a number to a repeated text, so each text belongs to one message. */
function uniqueTexts(): (text: string) => string {
  const said = new Map<string, number>();
  return (text) => {
    const count = said.get(text.trim()) ?? 0;
    said.set(text.trim(), count + 1);
    return count === 0 ? text : `${text.trim()} (${count + 1})`;
  };
}
