import type { ModelProvider } from "@jaf/core";
import type { Message } from "@jaf/memory";
import type { LosslessBackend } from "./backends.ts";
import { openConversation } from "./conversation.ts";
import type { Plan } from "./plan.ts";
import { openScript } from "./script.ts";
import { type Findings, startServices } from "./services.ts";

export interface Played extends Findings {
  readonly name: string;
  /** The number of opaque values in replies that count. */
  readonly given: number;
  /** The number of summaries. */
  readonly summaries: number;
  /** The owners of opaque values that aren't stored byte for byte. */
  readonly lost: readonly string[];
  /** Other deviations from the plan. */
  readonly wrong: readonly string[];
}

export interface PlayOptions {
  readonly backend: LosslessBackend;
  /** Wraps the engine's model providers. */
  readonly between?: (provider: ModelProvider<unknown>) => ModelProvider<unknown>;
}

/** Plays a conversation, and checks the services' requests and the finally stored messages. */
export async function play(
  plan: Plan,
  { backend, between = (provider) => provider }: PlayOptions,
): Promise<Played> {
  const script = openScript(plan);
  const services = await startServices(script);
  const conversation = await openConversation({
    plan,
    backend,
    connectModels: () => between(services.connect()),
  });
  const wrong: string[] = [];
  try {
    for (const [index, turn] of plan.turns.entries()) {
      const fault = await conversation.take(turn);
      if (fault === undefined) continue;
      wrong.push(`turn ${index} of ${turn.modelOverride ?? turn.agent}: ${fault}`);
      break; // Later turns depend on it.
    }
    const stored = await conversation.messages();
    const text = JSON.stringify(stored);
    const given = script.given();
    // Nothing of a failed turn must be stored.
    const lost = wrong.length === 0 ? given.filter((value) => !text.includes(value)) : [];
    if (wrong.length === 0) wrong.push(...differencesFrom(plan, stored));
    const whose = lost.map((value) => script.opaque.ownerOf(value) ?? "unknown");
    return {
      name: plan.name,
      ...services.findings(),
      given: given.length,
      summaries: script.summaries(),
      lost: whose,
      wrong,
    };
  } finally {
    await conversation.close();
    await services.close();
  }
}

/** Checks that every reply is stored, in order, with its calls. */
function differencesFrom({ turns }: Plan, stored: readonly Message[]): readonly string[] {
  const replies = turns.flatMap((turn) => turn.replies);
  const kept = stored.filter(({ role }) => role === "assistant");
  if (kept.length !== replies.length) return [`${kept.length} of ${replies.length} replies are stored`];
  return kept.flatMap((message, index) => {
    const names = (message.tool_calls ?? []).map((call) => call.function.name);
    const expected = (replies[index]?.calls ?? []).map(({ name }) => name);
    return names.join() === expected.join() ? [] : [`reply ${index} has other calls`];
  });
}
